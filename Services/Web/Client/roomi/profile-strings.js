// @ts-check
import { loadStrings } from "../shared/strings.js";

/** The texts of the set-up and of editing a profile, which other screens do without. */
export const p = await loadStrings({
  en: () => import("./strings/profile-en.js"),
  de: () => import("./strings/profile-de.js"),
});
