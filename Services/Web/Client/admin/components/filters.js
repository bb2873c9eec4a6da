// @ts-check
/** Filters above a list. They are in the address, so that a filtered list can be kept and shared. */
import { buildField } from "../../shared/components/form.js";
import { currentPath, link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h, onCleanUp, state } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Field } from "../../shared/components/form.js" */

/** How long a search text is typed before it is searched for. */
const PAUSE = 350;

/**
 * @param {{ fields: Field[], query: URLSearchParams, onchange: () => void }} options
 *   - `fields`: without values, which are those of the address
 *   - `onchange`: after a change, to load the list again with `values`
 */
export function filters({ fields, query, onchange }) {
  const initial = Object.fromEntries(fields.map(({ name }) => [name, query.get(name) ?? ""]));
  const values = state(/** @type {Record<string, any>} */ (initial));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  onCleanUp(() => clearTimeout(timer));

  const built = fields.map((field) => ({
    name: field.name,
    ...buildField({
      ...field,
      value: initial[field.name] || undefined,
      props: { ...field.props, oninput: () => later(field.kind === "select" ? 0 : PAUSE) },
    }),
  }));

  /** @param {number} wait */
  function later(wait) {
    clearTimeout(timer);
    timer = setTimeout(apply, wait);
  }

  function apply() {
    clearTimeout(timer);
    const next = Object.fromEntries(built.map((it) => [it.name, it.read() ?? ""]));
    if (JSON.stringify(next) === JSON.stringify(values.get())) return;
    values.set(next);
    history.replaceState(history.state, "", link(currentPath.get(), next));
    onchange();
  }

  function clear() {
    for (const { control } of built) /** @type {HTMLInputElement} */ (control).value = "";
    apply();
  }

  const element = h(
    "form.filters",
    {
      role: "search",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        apply();
      },
    },
    built.map((it) => it.element),
    () =>
      Object.values(values.get()).some(Boolean) &&
      h("button.button.quiet", { type: "button", onclick: clear }, t("clearFilters")),
    h("button.visually-hidden", { type: "submit", tabindex: -1 }, text("search")),
  );
  return { values, element };
}

/**
 * A choice among the values of an enumeration, with all of them as the first.
 * @param {string} name
 * @param {string} label
 * @param {Record<string, string>} labels
 * @returns {Field}
 */
export const choice = (name, label, labels) => ({
  name,
  label,
  kind: "select",
  options: [{ value: "", label: t("all") }, ...Object.entries(labels).map(([value, it]) => ({ value, label: it }))],
});
