// @ts-check
import { call } from "../../shared/api.js";
import { actionButton, form } from "../../shared/components/form.js";
import { avatar } from "../../shared/components/picture.js";
import { toast } from "../../shared/components/toast.js";
import { isOn } from "../../shared/features.js";
import { go } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { choosePhoto } from "../components/photo.js";
import { t } from "../screen-strings.js";

/** @import { Account } from "../../../Types/api.d.ts" */

export const load = () => call("GET /v1/users/me");

/** What others see of the user, to change. @param {Account} account */
export default function editProfileScreen(account) {
  let { version } = account;
  const save = async (/** @type {any} */ body) => {
    const saved = await call("PATCH /v1/users/me", { body }, { version });
    version = saved.version;
    user.set(saved);
    toast(t("saved"), { kind: "success" });
  };
  const changePhoto = async () => {
    const photo = await choosePhoto();
    if (photo) await save({ details: { photo } });
  };
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("editProfile")),
    h(
      "section.card.profile-photo",
      { "aria-label": t("photo") },
      () => avatar(user.get() ?? account, { size: "huge" }),
      h(
        "div.row",
        null,
        () => isOn("uploads") && actionButton({ label: t("choosePhoto"), icon: "image", run: changePhoto }),
        () =>
          user.get()?.details.photo &&
          actionButton({ label: t("removePhoto"), class: "quiet", run: () => save({ details: { photo: null } }) }),
      ),
    ),
    h(
      "section.card",
      null,
      form({
        fields: [
          {
            name: "displayName",
            label: text("displayName"),
            value: account.displayName,
            required: true,
            props: { autocomplete: "name", maxlength: 60 },
          },
          {
            name: "username",
            label: text("username"),
            value: account.username,
            required: true,
            props: { autocomplete: "username", autocapitalize: "none", maxlength: 30 },
          },
          {
            name: "details.bio",
            label: t("bio"),
            hint: t("bioHint"),
            kind: "textarea",
            value: account.details.bio,
            props: { maxlength: 1000 },
          },
        ],
        submit: text("save"),
        onsubmit: async ({ details, ...names }) => {
          await save({ ...names, details: { bio: details?.bio ?? null } });
          await go(`/people/${account.id}`);
        },
      }),
    ),
  );
}
