// @ts-check
/** Earnings by month as bars. The table below it says the same to those who do not see it. */
import { date, money } from "../../shared/language.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @import { SalesMonth } from "../../../Types/api.d.ts" */

const HEIGHT = 96;
const STEP = 56;

/** @param {string} month such as `2026-11` */
const monthName = (month, style = /** @type {"short" | "long"} */ ("short")) =>
  date(`${month.slice(0, 7)}-15T12:00:00Z`, style === "long" ? { month: "long", year: "numeric" } : { month: "short" });

/** @param {SalesMonth[]} months */
export function salesChart(months) {
  const { currency } = months[0].earned;
  const shown = months.filter((it) => it.earned.currency === currency)
    .sort((a, b) => a.month.localeCompare(b.month)).slice(-12);
  const top = Math.max(1, ...shown.map((it) => it.earned.amount));
  const bar = (/** @type {SalesMonth} */ { month, earned }, /** @type {number} */ index) => {
    const height = Math.max(2, earned.amount / top * HEIGHT);
    const x = index * STEP + 8;
    return h(
      "g",
      null,
      h("rect", { class: "chart-bar", x, y: HEIGHT - height, width: STEP - 16, height, rx: 6 }),
      h(
        "text",
        { class: "chart-label", x: x + (STEP - 16) / 2, y: HEIGHT + 20, "text-anchor": "middle" },
        monthName(month),
      ),
    );
  };
  return h(
    "section.card.stack",
    { "aria-labelledby": "months" },
    h("h2", { id: "months" }, t("byMonth")),
    h(
      "svg.chart",
      { viewBox: `0 0 ${12 * STEP} ${HEIGHT + 28}`, "aria-hidden": "true" },
      shown.map(bar),
    ),
    h(
      "details",
      null,
      h("summary", null, t("asTable")),
      h(
        "table.months",
        null,
        h(
          "thead",
          null,
          h("tr", null, [t("month"), t("sold"), t("earned")].map((it) => h("th", { scope: "col" }, it))),
        ),
        h(
          "tbody",
          null,
          shown.map(({ month, count, earned }) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, monthName(month, "long")),
              h("td.number", null, String(count)),
              h("td.number", null, money(earned)),
            )
          ),
        ),
      ),
    ),
  );
}
