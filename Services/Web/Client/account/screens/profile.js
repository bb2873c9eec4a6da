// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { avatar } from "../../shared/components/picture.js";
import { toast } from "../../shared/components/toast.js";
import { date } from "../../shared/language.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Account } from "../../../Types/api.d.ts" */

export const load = () => call("GET /v1/users/me");

/**
 * What others see of the user, to change.
 * @param {Account} account
 */
export default function profileScreen(account) {
  let { version } = account;
  const save = async (/** @type {any} */ { displayName, username, details }) => {
    const body = { displayName, username, details: { bio: details?.bio ?? null } };
    const saved = await call("PATCH /v1/users/me", { body }, { version });
    version = saved.version;
    user.set(saved);
    toast(t("saved"), { kind: "success" });
  };
  return h(
    "div.stack.prose",
    null,
    h(
      "header.profile-head",
      null,
      () => avatar(user.get() ?? account, { size: "large" }),
      h(
        "div",
        null,
        h("h1", null, t("profile")),
        h("p.soft", null, () => `@${user.get()?.username ?? account.username ?? ""}`),
      ),
    ),
    h(
      "section.card.stack",
      null,
      h("h2", null, t("about")),
      form({
        fields: [
          {
            name: "displayName",
            label: t("displayName"),
            value: account.displayName,
            required: true,
            props: { autocomplete: "name", maxlength: 60 },
          },
          {
            name: "username",
            label: t("username"),
            value: account.username,
            required: true,
            props: { autocomplete: "username", autocapitalize: "none", maxlength: 30 },
          },
          {
            name: "details.bio",
            label: t("bio"),
            kind: "textarea",
            hint: t("bioHint"),
            value: account.details.bio,
            props: { maxlength: 1000 },
          },
        ],
        submit: text("save"),
        onsubmit: save,
      }),
    ),
    h(
      "section.card",
      null,
      h(
        "dl.facts",
        null,
        h("dt", null, t("email")),
        h(
          "dd",
          null,
          `${account.email ?? "–"} `,
          account.email &&
            h(
              "span.chip",
              { class: account.isEmailVerified ? "is-success" : "is-warning" },
              t(account.isEmailVerified ? "emailVerified" : "emailUnverified"),
            ),
        ),
        h("dt", null, t("memberSince")),
        h("dd", null, date(account.createdAt)),
      ),
    ),
  );
}
