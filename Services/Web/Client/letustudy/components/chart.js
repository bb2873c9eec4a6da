// @ts-check
/** Bars with a table of the same numbers for screen readers. */
import { h } from "../../shared/view.js";

/**
 * @param {{ label: string, bars: { label: string, value: number, words: string, parts?: { kind: string, value: number }[] }[], every?: number }} options
 *   - `every`: which labels are shown
 */
export function barChart({ label, bars, every = 1 }) {
  const most = Math.max(1, ...bars.map((it) => it.value));
  return h(
    "figure.chart",
    { "aria-label": label },
    h(
      "ol.bars",
      { role: "list" },
      bars.map(({ label: name, value, words, parts }, index) =>
        h(
          "li.bar",
          null,
          h(
            "span.bar-track",
            { "aria-hidden": "true", title: `${name}: ${words}` },
            (parts ?? [{ kind: "all", value }]).map((it) =>
              it.value > 0 && h("span.bar-part", { class: `is-${it.kind}`, style: { "--part": it.value / most } })
            ),
          ),
          h("span.bar-label", { class: (bars.length - 1 - index) % every === 0 ? "" : "visually-hidden" }, name),
          h("span.visually-hidden", null, words),
        )
      ),
    ),
  );
}
