// @ts-check
import { t } from "../screen-strings.js";

/** @import { StudySet } from "../study/model.js" */

/** The fields of a set. @param {Pick<StudySet, "title" | "description" | "tags">} [set] */
export const setFields = (set) => [
  {
    name: "title",
    label: t("title"),
    value: set?.title,
    required: true,
    props: { maxlength: 200, "data-focus": !set, autocomplete: "off" },
  },
  {
    name: "description",
    label: t("description"),
    kind: "textarea",
    value: set?.description,
    props: { maxlength: 5000, rows: 2 },
  },
  { name: "tags", label: t("tags"), hint: t("tagsHint"), value: set?.tags.join(", "), props: { autocomplete: "off" } },
];

/** "latin, plants" as tags. @param {string | undefined} text */
export const tagsOf = (text) =>
  [...new Set((text ?? "").split(",").map((it) => it.trim().slice(0, 60)).filter(Boolean))].slice(0, 50);
