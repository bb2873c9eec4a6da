// @ts-check
import { loadStrings } from "../shared/strings.js";

/** The texts of the screens behind the first page, which does not load them, and those of the first page. */
export const t = await loadStrings({
  en: () => import("./strings/screens/en.js"),
  de: () => import("./strings/screens/de.js"),
});
