// @ts-check
/** Signs in by password or passkey, with the second step where the account has one. */
import { call, Problem } from "../api.js";
import { form } from "../components/form.js";
import { go, link } from "../router.js";
import { signedIn } from "../session.js";
import { text } from "../text.js";
import { h, state } from "../view.js";
import { signInCard } from "./layout.js";
import { passkeyButton } from "./passkeys.js";
import { nextPath } from "./routes.js";
import { secondFactorForm } from "./second-factor.js";
import { t } from "./strings.js";

/** @import { FactorTicket } from "../../../Types/api.d.ts" */

/**
 * @param {string} product
 * @param {import("../router.js").Visit} visit
 */
export default function signInScreen(product, { query }) {
  const ticket = state(/** @type {FactorTicket | null} */ (null));
  const notice = query.get("notice");

  /** @param {Parameters<typeof signedIn>[0]} grant */
  const enter = (grant) => {
    signedIn(grant);
    return go(nextPath(query), { replace: true });
  };

  /** @param {{ login: string, password: string }} body */
  async function logIn(body) {
    try {
      await enter(await call("POST /v1/auth/login", { body }));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "second-factor-required") throw error;
      ticket.set(error.secondFactor);
    }
  }

  const password = () =>
    signInCard(
      product,
      t("welcome"),
      notice === "reset" && h("p.notice", { role: "status" }, t("resetDone")),
      form({
        fields: [
          {
            name: "login",
            label: t("login"),
            required: true,
            value: query.get("login"),
            props: {
              autocomplete: "username webauthn",
              autocapitalize: "none",
              spellcheck: "false",
              "data-focus": true,
            },
          },
          {
            name: "password",
            label: text("password"),
            kind: "password",
            required: true,
            props: { autocomplete: "current-password" },
          },
        ],
        submit: text("signIn"),
        onsubmit: logIn,
        footer: h("p.form-footer", null, h("a", { href: link("/forgot-password") }, t("forgot"))),
      }),
      passkeyButton(enter),
      h("p.form-footer", null, h("a", { href: link("/sign-up", { next: query.get("next") }) }, t("accountNew"))),
    );

  return h("div", null, () => {
    const current = ticket.get();
    if (!current) return password();
    return signInCard(
      product,
      t("secondFactor"),
      secondFactorForm({ ticket: current, product, onsuccess: enter, oncancel: () => ticket.set(null) }),
    );
  });
}
