// @ts-check
/** The fields of each stage of a profile, for the set-up and for editing. */
import { t } from "../strings.js";
import { word } from "../labels.js";
import { photosField } from "./photos-field.js";
import { preferenceFields } from "./preference-fields.js";

/** @import { Field } from "../../shared/components/form.js" */
/** @import { PreferenceField } from "../../../Types/api.d.ts" */
/** @import { Stage, Stages } from "../profile.js" */

/**
 * @param {Stage} stage
 * @param {Stages} known
 * @param {PreferenceField[]} table
 * @returns {Field[]}
 */
export function stageFields(stage, known, table) {
  switch (stage) {
    case "contact":
      return [{
        name: "contact.phone",
        label: t("phone"),
        kind: "tel",
        hint: t("phoneHint"),
        required: true,
        value: known.contact?.phone,
        props: { autocomplete: "tel", placeholder: "+1 415 555 0100" },
      }];
    case "identity":
      return identity(known.identity);
    case "about":
      return about(known.about);
    case "preferences":
      return preferenceFields(table, known.preferences);
    case "photos":
      return [photosField(known.photos)];
  }
}

/** @param {Stages["identity"]} known @returns {Field[]} */
const identity = (known) => [
  {
    name: "identity.fullName",
    label: t("fullName"),
    hint: t("fullNameHint"),
    required: true,
    value: known?.fullName,
    props: { autocomplete: "name", maxlength: 80 },
  },
  {
    name: "identity.birthday",
    label: t("birthday"),
    kind: "date",
    hint: t("birthdayHint"),
    required: true,
    value: known?.birthday,
    props: { autocomplete: "bday" },
  },
  {
    name: "identity.gender",
    label: t("gender"),
    kind: "select",
    required: true,
    value: known?.gender,
    options: [
      { value: "", label: t("choose") },
      ...["female", "male", "nonBinary", "undisclosed"].map((value) => ({ value, label: word("gender", value) })),
    ],
  },
];

/** @param {Stages["about"]} known @returns {Field[]} */
const about = (known) => [
  {
    name: "about.school",
    label: t("school"),
    hint: t("optional"),
    value: known?.school,
    props: { autocomplete: "organization", maxlength: 120 },
  },
  {
    name: "about.bio",
    label: t("bio"),
    kind: "textarea",
    hint: t("bioHint"),
    value: known?.bio,
    required: true,
    props: { maxlength: 1000, rows: 6 },
  },
];
