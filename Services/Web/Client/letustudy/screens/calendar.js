// @ts-check
import { icon } from "../../shared/components/icon.js";
import { date } from "../../shared/language.js";
import { h, state } from "../../shared/view.js";
import { duration } from "../components/words.js";
import { reminders } from "../components/reminders.js";
import { study } from "../study.js";
import { dateOf, weekday } from "../study/days.js";
import { t } from "../screen-strings.js";

/** The days of study, month by month, and how many there are in a row. */
export default function calendarScreen() {
  const { model } = study();
  const now = dateOf(model.today());
  const month = state(new Date(now.getFullYear(), now.getMonth(), 1, 12));
  const move = (/** @type {number} */ step) =>
    month.update((it) => new Date(it.getFullYear(), it.getMonth() + step, 1, 12));
  return h(
    "div.stack",
    null,
    h("h1", null, t("calendar")),
    () => {
      const { current, longest, includesToday } = model.streak.get();
      return h(
        "div.streak-facts",
        null,
        h(
          "div.card.streak",
          { class: { "is-on": includesToday } },
          h("strong.big-number", null, t("dayCount", { count: current })),
          h("p.soft", null, includesToday ? t("streakNow") : t("streakWaits")),
        ),
        h(
          "div.card",
          null,
          h("strong.big-number", null, t("dayCount", { count: longest })),
          h("p.soft", null, t("longestStreak")),
        ),
      );
    },
    h(
      "section.card.stack",
      null,
      h(
        "div.spread",
        null,
        h("h2", { "aria-live": "polite" }, () => date(month.get(), { month: "long", year: "numeric" })),
        h(
          "div.row",
          null,
          h(
            "button.button.icon-only",
            { type: "button", "aria-label": t("previousMonth"), onclick: () => move(-1) },
            icon("previous"),
          ),
          h(
            "button.button.icon-only",
            { type: "button", "aria-label": t("nextMonth"), onclick: () => move(1) },
            icon("next"),
          ),
        ),
      ),
      () => monthTable(month.get()),
    ),
    reminders(),
  );
}

/** @param {Date} first */
function monthTable(first) {
  const { model } = study();
  const dayNumber = (/** @type {number} */ day) =>
    Math.floor(Date.UTC(first.getFullYear(), first.getMonth(), day) / 86_400_000);
  const count = new Date(first.getFullYear(), first.getMonth() + 1, 0).getDate();
  const start = dayNumber(1);
  const cells = [
    ...Array(weekday(start) - 1).fill(null),
    ...Array.from({ length: count }, (_, index) => start + index),
  ];
  const weeks = Array.from(
    { length: Math.ceil(cells.length / 7) },
    (_, index) => cells.slice(index * 7, index * 7 + 7),
  );
  const times = new Map();
  for (const { day, milliseconds } of model.entries.get()) times.set(day, (times.get(day) ?? 0) + milliseconds);
  const today = model.today();
  const names = Array.from({ length: 7 }, (_, index) => dateOf(4 + index));
  return h(
    "table.month",
    null,
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        names.map((it) =>
          h(
            "th",
            { scope: "col" },
            h("abbr", { title: date(it, { weekday: "long" }) }, date(it, { weekday: "narrow" })),
          )
        ),
      ),
    ),
    h(
      "tbody",
      null,
      weeks.map((week) =>
        h(
          "tr",
          null,
          Array.from({ length: 7 }, (_, index) => {
            const day = week[index];
            if (day === null || day === undefined) return h("td", null);
            const isStudied = model.days.get().has(day);
            const words = isStudied
              ? t("studiedOn", { date: date(dateOf(day)), time: duration(times.get(day) ?? 0) })
              : date(dateOf(day));
            return h(
              "td",
              null,
              h("span.day", {
                class: {
                  "is-studied": isStudied,
                  "is-today": day === today,
                  "is-much": (times.get(day) ?? 0) > 20 * 60_000,
                },
                role: "img",
                "aria-label": day === today ? `${t("today")}, ${words}` : words,
                title: words,
              }, String(day - start + 1)),
            );
          }),
        )
      ),
    ),
  );
}
