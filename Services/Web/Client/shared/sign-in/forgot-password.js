// @ts-check
import { call } from "../api.js";
import { form } from "../components/form.js";
import { go, link } from "../router.js";
import { text } from "../text.js";
import { h, state } from "../view.js";
import { signInCard } from "./layout.js";
import { t } from "./strings.js";

/**
 * Mails a code, then sets a new password with it.
 * @param {string} product
 */
export default function forgotPasswordScreen(product) {
  const isSent = state(false);
  const ask = () =>
    form({
      fields: [{
        name: "email",
        label: text("email"),
        kind: "email",
        required: true,
        hint: t("forgotHint"),
        props: { autocomplete: "email", "data-focus": true },
      }],
      submit: t("forgotSend"),
      onsubmit: async (body) => {
        await call("POST /v1/auth/password/forgot", { body });
        isSent.set(true);
      },
    });
  const reset = () =>
    h(
      "div.stack",
      null,
      h("p.notice", { role: "status" }, t("forgotSent")),
      form({
        fields: [
          {
            name: "token",
            label: t("resetCode"),
            required: true,
            props: { autocomplete: "one-time-code", autocapitalize: "none", spellcheck: "false" },
          },
          {
            name: "password",
            label: text("passwordNew"),
            kind: "password",
            required: true,
            hint: text("passwordHint"),
            props: { autocomplete: "new-password" },
          },
        ],
        submit: text("save"),
        onsubmit: async (body) => {
          await call("POST /v1/auth/password/reset", { body });
          await go("/sign-in?notice=reset", { replace: true });
        },
      }),
    );
  return signInCard(
    product,
    t("resetTitle"),
    () => isSent.get() ? reset() : ask(),
    h("p.form-footer", null, h("a", { href: link("/sign-in") }, t("accountKnown"))),
  );
}
