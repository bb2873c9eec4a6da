// @ts-check
/** Several of a long list of languages: those chosen as chips, and a list to add one. */
import { icon } from "../../shared/components/icon.js";
import { each, h, state } from "../../shared/view.js";
import { languageName } from "../labels.js";
import { p } from "../profile-strings.js";

/** @param {{ label: string, values: string[], chosen: string[] }} settings */
export function languageChips({ label, values, chosen }) {
  const codes = state(chosen);
  const options = values.map((value) => ({ value, label: languageName(value) }))
    .sort((one, other) => one.label.localeCompare(other.label));
  const add = h(
    "select.input",
    {
      "aria-label": p("addTo", { field: label }),
      onchange: () => {
        const code = add.value;
        add.value = "";
        if (code) codes.update((known) => known.includes(code) ? known : [...known, code]);
      },
    },
    h("option", { value: "" }, p("addLanguage")),
    options.map((it) => h("option", { value: it.value }, it.label)),
  );
  const chip = (/** @type {string} */ code) =>
    h(
      "button.button.small.soft-accent",
      {
        type: "button",
        "aria-label": p("removeNamed", { name: languageName(code) }),
        onclick: () => {
          codes.update((known) => known.filter((it) => it !== code));
          add.focus();
        },
      },
      languageName(code),
      icon("close"),
    );
  const element = h(
    "div.stack.language-chips",
    { role: "group", "aria-label": label },
    h("div.row", { hidden: () => codes.get().length === 0 }, each(codes, (it) => it, (it) => chip(it.get()))),
    add,
  );
  return { element, read: () => codes.get() };
}
