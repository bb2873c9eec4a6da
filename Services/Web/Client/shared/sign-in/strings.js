// @ts-check
import { loadStrings } from "../strings.js";

/** The texts of signing in, which a page does not load for someone who is signed in. */
export const t = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
