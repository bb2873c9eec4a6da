// @ts-check
import { loadStrings } from "../../shared/strings.js";

/** The texts of the owner's side. */
export const t = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
