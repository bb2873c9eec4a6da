// @ts-check
import { t } from "./strings.js";

/** How many units of a group plan; a field of a form. @param {number} value */
export const unitsField = (value) => ({
  name: "quantity",
  label: t("units"),
  hint: t("unitsHint"),
  kind: "number",
  value,
  required: true,
  props: { min: 1, max: 10_000 },
});
