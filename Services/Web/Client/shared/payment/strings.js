// @ts-check
import { loadStrings } from "../strings.js";

/** The texts of paying, which only pages load where something is paid. */
export const t = await loadStrings({
  en: () => import("./strings/en.js"),
  de: () => import("./strings/de.js"),
});
