// @ts-check
/** Light or dark: as the device, unless the user chooses; the same in all apps of this browser. */
import { effect, state } from "./signals.js";

/** @typedef {"device" | "light" | "dark"} Theme */
const KEY = "quintet.theme";

export const theme = state(/** @type {Theme} */ (localStorage.getItem(KEY) ?? "device"));

effect(() => {
  const chosen = theme.get();
  if (chosen === "device") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(KEY);
  } else {
    document.documentElement.dataset.theme = chosen;
    localStorage.setItem(KEY, chosen);
  }
});
