// @ts-check
import { loadStrings } from "../shared/strings.js";

/** The texts of the first page and of what is on all pages; `screen-strings.js` has the others as well. */
export const t = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
