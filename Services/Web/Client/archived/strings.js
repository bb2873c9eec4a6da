// @ts-check
import { loadStrings } from "../shared/strings.js";

/** The texts of the navigation and the feeds: those of the first page. */
export const t = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
