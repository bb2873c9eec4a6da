// @ts-check
/** Bars over time, and shares of a whole. The same numbers are in texts that screen readers read. */
import { dateTime, number } from "../../shared/language.js";
import { h } from "../../shared/view.js";

/** @typedef {{ from: number, count: number }} Bucket */

/**
 * How many of the times fall into each of equal parts of a span.
 * @param {readonly (string | number)[]} times
 * @param {{ from: number, until: number, parts: number }} span in milliseconds
 * @returns {Bucket[]}
 */
export function buckets(times, { from, until, parts }) {
  const size = (until - from) / parts;
  const result = Array.from({ length: parts }, (_, index) => ({ from: from + index * size, count: 0 }));
  for (const time of times) {
    const index = Math.floor((new Date(time).getTime() - from) / size);
    if (index >= 0 && index < parts) result[index].count += 1;
  }
  return result;
}

/**
 * How often each value occurs, the most frequent first.
 * @param {readonly string[]} values
 * @returns {[string, number][]}
 */
export function tally(values) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

/**
 * @param {Bucket[]} bars
 * @param {string} label
 * @param {(value: number) => string} [format]
 */
export function timeChart(bars, label, format = number) {
  const most = Math.max(...bars.map((it) => it.count)) || 1;
  const first = bars[0]?.from ?? 0;
  const last = bars.at(-1)?.from ?? 0;
  return h(
    "figure.chart",
    null,
    h(
      "ol.chart-plot",
      { role: "list", "aria-label": label },
      bars.map(({ from, count }) =>
        h(
          "li.chart-bar",
          {
            class: count === 0 && "is-empty",
            style: { "--part": count / most },
            title: `${dateTime(from)}: ${format(count)}`,
          },
          h("span.visually-hidden", null, `${dateTime(from)}: ${format(count)}`),
        )
      ),
    ),
    h("p.chart-axis", { "aria-hidden": "true" }, h("span", null, dateTime(first)), h("span", null, dateTime(last))),
  );
}

/**
 * @param {[string, number][]} entries
 * @param {string} label
 */
export function meters(entries, label) {
  const most = Math.max(1, ...entries.map(([, count]) => count));
  return h(
    "ul.meters",
    { role: "list", "aria-label": label },
    entries.map(([name, count]) =>
      h(
        "li",
        null,
        h("p.meter-line", null, h("span.action-name", null, name), h("span.number", null, number(count))),
        h("div.meter-track", null, h("div.meter-fill", { style: { "--part": count / most } })),
      )
    ),
  );
}
