// @ts-check
/** What an owner says about a video: title, description, type of workout, tags, and who sees it. */
import { t } from "../screen-strings.js";
import { choices } from "../words.js";

/** @import { Media, MediaUpdateMediaBody } from "../../../Types/api.d.ts" */
/** @import { Field } from "../../shared/components/form.js" */

/**
 * @param {Partial<Media>} [video]
 * @returns {Field[]}
 */
export const videoFields = ({ title, description, workoutType, tags, visibility } = {}) => [
  { name: "title", label: t("title"), value: title, required: true, props: { maxlength: 120 } },
  { name: "description", label: t("description"), kind: "textarea", value: description, props: { maxlength: 2000 } },
  {
    name: "workoutType",
    label: t("workoutType"),
    kind: "select",
    value: workoutType ?? "",
    options: [{ value: "", label: t("noType") }, ...choices("workoutType")],
  },
  { name: "tags", label: t("tags"), hint: t("tagsHint"), value: tags?.join(", "), props: { autocapitalize: "none" } },
  {
    name: "visibility",
    label: t("whoSees"),
    kind: "select",
    value: visibility ?? "everyone",
    options: [{ value: "everyone", label: t("everyone") }, { value: "owner", label: t("onlyYou") }],
  },
];

/**
 * The values of {@link videoFields} as the API has them.
 * @param {Record<string, any>} values
 * @returns {MediaUpdateMediaBody}
 */
export const videoDetails = ({ title, description, workoutType, tags, visibility }) => ({
  title,
  description: description ?? null,
  workoutType: workoutType || null,
  tags: splitTags(tags),
  visibility,
});

/** "Legs, #home" is two tags. @param {string} [text] */
export const splitTags = (text = "") => [
  ...new Set(text.split(",").map((it) => it.trim().replace(/^#/, "").toLowerCase()).filter(Boolean)),
];
