// @ts-check
/** Appearance and language of all apps on this device. */
import { language, setLanguage } from "../language.js";
import { text } from "../text.js";
import { theme } from "../theme.js";
import { h } from "../view.js";
import { openDialog } from "./dialog.js";
import { buildField } from "./form.js";

/** @import { Theme } from "../theme.js" */

/** The controls, for a page of settings. */
export function appearanceControls() {
  const appearance = buildField({
    name: "theme",
    label: text("theme"),
    kind: "select",
    value: theme.get(),
    options: [
      { value: "device", label: text("device") },
      { value: "light", label: text("light") },
      { value: "dark", label: text("dark") },
    ],
    props: { onchange: (/** @type {any} */ event) => theme.set(/** @type {Theme} */ (event.target.value)) },
  });
  const languages = buildField({
    name: "language",
    label: text("language"),
    kind: "select",
    value: language,
    options: [{ value: "en", label: "English" }, { value: "de", label: "Deutsch" }],
    props: { onchange: (/** @type {any} */ event) => setLanguage(event.target.value) },
  });
  return h("div.stack", null, appearance.element, languages.element);
}

export function chooseAppearance() {
  openDialog({ title: text("theme"), build: appearanceControls });
}
