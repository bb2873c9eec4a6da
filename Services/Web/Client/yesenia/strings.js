// @ts-check
import { loadStrings } from "../shared/strings.js";

/** The texts of the shop. */
export const t = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
