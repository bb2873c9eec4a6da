// @ts-check
import { loadStrings } from "../shared/strings.js";

/** The texts of this app. */
export const t = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
