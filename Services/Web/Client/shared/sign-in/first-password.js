// @ts-check
import { call, Problem } from "../api.js";
import { form } from "../components/form.js";
import { text } from "../text.js";
import { h } from "../view.js";
import { t } from "./strings.js";

/**
 * Replaces a temporary password, such as that of a school for its members, and signs in.
 * @param {{ login: string, temporary: string, enter: (grant: Promise<any>) => Promise<void>, oncancel: () => void }} options
 */
export const firstPasswordForm = ({ login, temporary, enter, oncancel }) =>
  h(
    "div.stack",
    null,
    h("p", null, t("firstPasswordHint")),
    form({
      fields: [
        {
          name: "password",
          label: text("passwordNew"),
          kind: "password",
          required: true,
          hint: text("passwordHint"),
          props: { autocomplete: "new-password", "data-focus": true },
        },
      ],
      submit: text("signIn"),
      onsubmit: ({ password }) => {
        const body = { login, temporary, password };
        return enter(call("POST /v1/auth/password/first", { body }).catch(expired));
      },
      oncancel,
    }),
  );

/** The password was right a moment ago, so its time is over. @param {unknown} error @returns {never} */
function expired(error) {
  if (!Problem.is(error, "invalid-credentials")) throw error;
  throw new Problem({ status: 401, code: "temporary-password-expired", title: t("temporaryExpired") });
}
