// @ts-check
import { loadStrings } from "../strings.js";

/** The texts of conversations, in the apps that have them. */
export const t = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
