// @ts-check
import { call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { avatar } from "../../shared/components/picture.js";
import { toast } from "../../shared/components/toast.js";
import { uploadField } from "../../shared/components/uploader.js";
import { date } from "../../shared/language.js";
import { user } from "../../shared/session.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { section } from "../components/section.js";
import { t } from "../strings.js";

/** @import { Account, AuthUpdateMeBody } from "../../../Types/api.d.ts" */
/** @import { Field } from "../../shared/components/form.js" */

export const load = () => call("GET /v1/users/me");

/**
 * What others see of the user, to change.
 * @param {Account} account
 */
export default function profileScreen(account) {
  let { version } = account;

  /** @param {AuthUpdateMeBody} body */
  async function save(body) {
    const saved = await withProof(() => call("PATCH /v1/users/me", { body }, { version }));
    version = saved.version;
    user.set(saved);
  }

  const showSaved = () => toast(t("saved"), { kind: "success" });

  const choosePhoto = () =>
    openDialog({
      title: t("photo"),
      build: (close) =>
        form({
          fields: [
            uploadField({
              name: "photo",
              label: t("photo"),
              accept: "image/*",
              kind: "image",
              visibility: "everyone",
              required: true,
            }),
          ],
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async ({ photo }) => {
            await save({ details: { photo } });
            close();
            showSaved();
          },
        }),
    });

  const head = () => {
    const shown = user.get() ?? account;
    return h(
      "header.profile-head",
      null,
      avatar(shown, { size: "huge" }),
      h(
        "div.stack",
        null,
        h("div", null, h("h1", null, t("profile")), h("p.soft", null, `@${shown.username ?? ""}`)),
        h(
          "div.row",
          null,
          actionButton({ label: t("photoChange"), icon: "image", class: "small", run: choosePhoto }),
          shown.details.photo &&
            actionButton({
              label: t("photoRemove"),
              class: "small quiet",
              run: () => save({ details: { photo: null } }),
            }),
        ),
      ),
    );
  };

  return h(
    "div.stack.prose",
    null,
    head,
    section(
      t("about"),
      null,
      h(
        "div.fields-grid",
        null,
        form({
          fields: fieldsOf(account),
          submit: text("save"),
          onsubmit: async (values) => {
            await save(bodyOf(values));
            showSaved();
          },
        }),
      ),
    ),
    h("p.soft.small-text", null, `${t("memberSince")} ${date(account.createdAt)}`),
  );
}

/** Texts of the profile, which are removed when their fields are emptied. */
const TEXTS = /** @type {const} */ (["firstName", "lastName", "bio", "school", "phone", "birthday"]);

/** @param {any} values */
const bodyOf = ({ displayName, username, details = {} }) => ({
  displayName,
  username,
  details: { ...Object.fromEntries(TEXTS.map((it) => [it, details[it] ?? null])), gender: details.gender },
});

/**
 * @param {Account} account
 * @returns {Field[]}
 */
function fieldsOf({ displayName, username, details }) {
  return [
    {
      name: "displayName",
      label: t("displayName"),
      value: displayName,
      required: true,
      props: { autocomplete: "name", maxlength: 60 },
    },
    {
      name: "username",
      label: t("username"),
      value: username,
      required: true,
      props: { autocomplete: "username", autocapitalize: "none", maxlength: 30 },
    },
    {
      name: "details.bio",
      label: t("bio"),
      kind: "textarea",
      hint: t("bioHint"),
      value: details.bio,
      props: { maxlength: 1000 },
    },
    {
      name: "details.firstName",
      label: t("firstName"),
      value: details.firstName,
      props: { autocomplete: "given-name", maxlength: 60 },
    },
    {
      name: "details.lastName",
      label: t("lastName"),
      value: details.lastName,
      props: { autocomplete: "family-name", maxlength: 60 },
    },
    { name: "details.school", label: t("school"), value: details.school, props: { maxlength: 120 } },
    {
      name: "details.phone",
      label: t("phone"),
      kind: "tel",
      value: details.phone,
      hint: t("phoneHint"),
      props: { autocomplete: "tel" },
    },
    {
      name: "details.birthday",
      label: t("birthday"),
      kind: "date",
      value: details.birthday,
      props: { autocomplete: "bday" },
    },
    {
      name: "details.gender",
      label: t("gender"),
      kind: "select",
      value: details.gender ?? "undisclosed",
      options: [
        { value: "undisclosed", label: t("genderUndisclosed") },
        { value: "female", label: t("genderFemale") },
        { value: "male", label: t("genderMale") },
        { value: "nonBinary", label: t("genderNonBinary") },
      ],
    },
  ];
}
