// @ts-check
/** Signs in by password, passkey or provider, with the second step where the account has one, and a new password for a temporary one. */
import { call, Problem } from "../api.js";
import { form } from "../components/form.js";
import { problemText, skeleton } from "../components/states.js";
import { icon } from "../components/icon.js";
import { isOn } from "../features.js";
import { go, link } from "../router.js";
import { signedIn } from "../session.js";
import { text } from "../text.js";
import { h, state } from "../view.js";
import { signInCard } from "./layout.js";
import { passkeyButton } from "./passkeys.js";
import { grantBy, linkForm, providerButtons, takeReturn } from "./providers.js";
import { nextPath } from "./routes.js";
import { secondFactorForm } from "./second-factor.js";
import { t } from "./strings.js";

/**
 * @param {string} product
 * @param {import("../router.js").Visit} visit
 */
export default function signInScreen(product, { query }) {
  const notice = query.get("notice");
  const back = takeReturn();
  if (back) query.set("next", back.next);
  const step = state(/** @type {() => HTMLElement} */ (back?.token ? waiting : () => password(back?.problem)));

  /** Shows a step, whose field takes the focus. @param {() => HTMLElement} build */
  function show(build) {
    step.set(build);
    requestAnimationFrame(() => /** @type {HTMLElement | null} */ (root.querySelector("[data-focus]"))?.focus());
  }
  const cancel = () => show(() => password());

  /** @param {Parameters<typeof signedIn>[0]} grant */
  const enter = (grant) => {
    signedIn(grant);
    return go(nextPath(query), { replace: true });
  };

  /** Signs in by what a call grants; if it asks for a second factor, that is the next step. @param {Promise<any>} grant */
  async function enterWith(grant) {
    try {
      await enter(await grant);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "second-factor-required") throw error;
      const { secondFactor: ticket } = error;
      show(() =>
        signInCard(
          product,
          t("secondFactor"),
          secondFactorForm({ ticket, product, onsuccess: enter, oncancel: cancel }),
        )
      );
    }
  }

  /** @param {{ login: string, password: string }} body */
  async function logIn(body) {
    try {
      await enterWith(call("POST /v1/auth/login", { body }));
    } catch (error) {
      if (!Problem.is(error, "password-change-required")) throw error;
      const { login, password: temporary } = body;
      // few ever need it
      const { firstPasswordForm } = await import("./first-password.js");
      show(() =>
        signInCard(
          product,
          t("resetTitle"),
          firstPasswordForm({ login, temporary, enter: enterWith, oncancel: cancel }),
        )
      );
    }
  }

  /** @param {import("./providers.js").Return["token"] & {}} token */
  async function enterBy(token) {
    try {
      await enterWith(grantBy(token));
    } catch (error) {
      if (!Problem.is(error, "link-needs-password")) return show(() => password(error));
      const { provider } = token;
      const onsubmit = (/** @type {string} */ it) => enterWith(grantBy(token, it));
      show(() => signInCard(product, t("linkTitle"), linkForm({ provider, onsubmit, oncancel: cancel })));
    }
  }

  function waiting() {
    return signInCard(product, t("welcome"), skeleton(2));
  }

  /** @param {unknown} [failure] of another way to sign in */
  function password(failure) {
    return signInCard(
      product,
      t("welcome"),
      Boolean(failure) && h("p.form-failure", { role: "alert" }, icon("error"), problemText(failure)),
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
      providerButtons(nextPath(query)),
      () =>
        isOn("sign-up") &&
        h("p.form-footer", null, h("a", { href: link("/sign-up", { next: query.get("next") }) }, t("accountNew"))),
    );
  }

  const root = h("div", null, () => step.get()());
  if (back?.token) enterBy(back.token);
  return root;
}
