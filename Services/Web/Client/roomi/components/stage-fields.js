// @ts-check
/** The fields of each stage of a profile, for the set-up and for editing. */
import { p } from "../profile-strings.js";
import { t } from "../screen-strings.js";
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
      return [contact(known.contact)];
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

/** @param {Stages["contact"]} known @returns {Field} */
function contact(known) {
  let input = /** @type {HTMLInputElement | undefined} */ (undefined);
  const isWrong = () => input?.value && !/^\+(?:[ .()-]*\d){7,15}$/.test(input.value.trim());
  return {
    name: "contact.phone",
    label: t("phone"),
    kind: "tel",
    hint: p("phoneHint"),
    required: true,
    value: known?.phone,
    check: () => isWrong() ? p("phoneWrong") : "",
    props: {
      autocomplete: "tel",
      placeholder: "+1 415 555 0100",
      ref: (/** @type {HTMLInputElement} */ it) => void (input = it),
    },
  };
}

/** @param {Stages["identity"]} known @returns {Field[]} */
const identity = (known) => [
  {
    name: "identity.fullName",
    label: t("fullName"),
    hint: p("fullNameHint"),
    required: true,
    value: known?.fullName,
    props: { autocomplete: "name", maxlength: 80 },
  },
  {
    name: "identity.birthday",
    label: t("birthday"),
    kind: "date",
    hint: p("birthdayHint"),
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
      { value: "", label: p("choose") },
      ...["female", "male", "nonBinary", "undisclosed"].map((value) => ({ value, label: word("gender", value) })),
    ],
  },
];

/** @param {Stages["about"]} known @returns {Field[]} */
const about = (known) => [
  {
    name: "about.school",
    label: p("school"),
    hint: t("optional"),
    value: known?.school,
    props: { autocomplete: "organization", maxlength: 120 },
  },
  {
    name: "about.bio",
    label: p("bio"),
    kind: "textarea",
    hint: p("bioHint"),
    value: known?.bio,
    required: true,
    props: { maxlength: 1000, rows: 6 },
  },
];
