// @ts-check
/** A field of a form whose value is a short list of entries, each with the same few inputs. */
import { icon } from "../../../shared/components/icon.js";
import { text } from "../../../shared/text.js";
import { each, h, state } from "../../../shared/view.js";

/** @typedef {{ name: string, label: string, options?: { value: string, label: string }[] }} Column */

/**
 * @param {string} name
 * @param {string} label
 * @param {Column[]} columns the first two have to be filled in; entries without the first are left out
 * @param {Record<string, any>[]} entries
 */
export function tableField(name, label, columns, entries) {
  const rows = state(entries.map((values) => ({ id: crypto.randomUUID(), values: { ...values } })));
  /** @param {typeof rows extends import("../../../shared/signals.js").State<(infer R)[]> ? R : never} row */
  const inputs = ({ values }) =>
    columns.map((it) => {
      const props = {
        "aria-label": it.label,
        value: values[it.name] ?? "",
        onchange: (/** @type {any} */ event) => values[it.name] = event.target.value.trim(),
      };
      return it.options
        ? h("select.input", props, it.options.map((option) => h("option", { value: option.value }, option.label)))
        : h("input.input", { placeholder: it.label, ...props });
    });
  const element = h(
    "div.stack.table-field",
    null,
    h(
      "ul.stack",
      { role: "list" },
      each(rows, (it) => it.id, (row) =>
        h(
          "li.table-entry",
          null,
          inputs(row.get()),
          h("button.button.quiet.icon-only", {
            type: "button",
            "aria-label": `${text("delete")}: ${label}`,
            onclick: () => rows.update((all) => all.filter((it) => it.id !== row.get().id)),
          }, icon("close")),
        )),
    ),
    h(
      "button.button.small",
      {
        type: "button",
        onclick: () => rows.update((all) => [...all, { id: crypto.randomUUID(), values: {} }]),
      },
      icon("add"),
      text("add"),
    ),
  );
  const read = () =>
    rows.get().map(({ values }) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")))
      .filter((it) => it[columns[0].name]);
  return { name, label, kind: "custom", element, read };
}
