// @ts-check
import { loadStrings } from "../../../shared/strings.js";

/** The texts of plans, which the first page does not need. */
export const t = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
