// @ts-check
/** Bars for the minutes of each day. */
import { date } from "../../shared/language.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { duration } from "../workouts.js";

/** @import { WorkoutTotalsDay } from "../../../Types/api.d.ts" */

/**
 * A list for screen readers, bars for the eye.
 * @param {WorkoutTotalsDay[]} days
 * @param {{ every?: number }} [options] which days have a label
 */
export function weekChart(days, { every = 1 } = {}) {
  const most = Math.max(1, ...days.map((it) => it.sum.activeSeconds));
  const noon = (/** @type {string} */ day) => new Date(`${day}T12:00:00`);
  return h(
    "ol.bars",
    { role: "list", "aria-label": t("minutesByDay"), style: { "--days": days.length } },
    days.map(({ day, sum }, index) =>
      h(
        "li.bar",
        { style: { "--part": sum.activeSeconds / most } },
        h(
          "span.visually-hidden",
          null,
          t("dayMinutes", {
            day: date(noon(day), { weekday: "long", day: "numeric", month: "long" }),
            time: duration(sum.activeSeconds),
          }),
        ),
        h("span.bar-fill", { "aria-hidden": "true", class: sum.count > 0 ? "" : "is-zero" }),
        h(
          "span.bar-label",
          { "aria-hidden": "true" },
          (days.length - 1 - index) % every === 0
            ? date(noon(day), every === 1 ? { weekday: "narrow" } : { day: "numeric", month: "numeric" })
            : "",
        ),
      )
    ),
  );
}
