// @ts-check
/** The texts of the shared parts. */
import { loadStrings } from "./strings.js";

export const text = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
