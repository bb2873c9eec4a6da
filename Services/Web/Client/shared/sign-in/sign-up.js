// @ts-check
import { call } from "../api.js";
import { form } from "../components/form.js";
import { offered } from "../features.js";
import { go, link } from "../router.js";
import { hasRole, signedIn } from "../session.js";
import { text } from "../text.js";
import { h } from "../view.js";
import { signInCard } from "./layout.js";
import { providerButtons } from "./providers.js";
import { nextPath } from "./routes.js";
import { t } from "./strings.js";

/**
 * Creates an account and signs in.
 * @param {string} product
 * @param {import("../router.js").Visit} visit
 */
export default function signUpScreen(product, { query }) {
  return signInCard(
    product,
    t("welcomeNew"),
    offered("sign-up", () => [
      form({
        fields: [
          {
            name: "displayName",
            label: text("displayName"),
            required: true,
            props: { autocomplete: "name", "data-focus": true, maxlength: 60 },
          },
          {
            name: "username",
            label: text("username"),
            required: true,
            hint: t("usernameHint"),
            props: { autocomplete: "username", autocapitalize: "none", spellcheck: "false", maxlength: 30 },
          },
          { name: "email", label: text("email"), kind: "email", required: true, props: { autocomplete: "email" } },
          {
            name: "password",
            label: text("password"),
            kind: "password",
            required: true,
            hint: text("passwordHint"),
            props: { autocomplete: "new-password" },
          },
        ],
        submit: text("createAccount"),
        onsubmit: async (body) => {
          // a guest becomes a user, and keeps the cart
          const grant = await call(hasRole("guest") ? "POST /v1/auth/upgrade" : "POST /v1/auth/signup", { body });
          signedIn(grant);
          await go(nextPath(query), { replace: true });
          if (grant.offersPasskey) (await import("./passkey-offer.js")).offerPasskey();
        },
      }),
      providerButtons(nextPath(query)),
    ]),
    h("p.form-footer", null, h("a", { href: link("/sign-in", { next: query.get("next") }) }, t("accountKnown"))),
  );
}
