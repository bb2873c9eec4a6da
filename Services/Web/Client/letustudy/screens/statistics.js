// @ts-check
import { empty } from "../../shared/components/states.js";
import { icon } from "../../shared/components/icon.js";
import { date, number, percent } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { barChart } from "../components/chart.js";
import { masteryBar } from "../components/set-card.js";
import { duration } from "../components/words.js";
import { study } from "../study.js";
import { dateOf, studyDay, utcOffset } from "../study/days.js";
import { levelCounts, mastery } from "../study/mastery.js";
import { t } from "../screen-strings.js";

/** @import { Entry } from "../study/model.js" */

/** @type {readonly Entry["kind"][]} */
const KINDS = ["review", "cards", "quiz", "course"];

/** Time in each function, by day; how much is kept; what comes. */
export default function statisticsScreen() {
  const { model } = study();
  const span = state(14);
  const page = () => {
    const today = model.today();
    const from = today - span.get() + 1;
    const entries = model.entries.get().filter((it) => it.day >= from && it.day <= today);
    if (model.entries.get().length === 0) {
      return empty({
        icon: "chart",
        title: t("noStatistics"),
        message: t("noStatisticsHint"),
        action: h("a.button.primary", { href: link("/study") }, icon("play"), t("startStudying")),
      });
    }
    return h(
      "div.stack",
      null,
      totals(entries),
      h("section.card.stack", null, h("h2", null, t("timeByDay")), byDay(entries, from, today), legend()),
      h("div.columns", null, functionTimes(entries), knowledge()),
      h("section.card.stack", null, h("h2", null, t("forecast")), forecast()),
      setList(entries),
    );
  };
  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h("h1", null, t("statistics")),
      h(
        "div.row",
        null,
        h(
          "select.input.span",
          {
            "aria-label": t("period"),
            value: span,
            onchange: (/** @type {any} */ event) => span.set(Number(event.target.value)),
          },
          [7, 14, 30, 90].map((count) =>
            h("option", { value: count, selected: count === 14 }, t("lastDays", { count }))
          ),
        ),
        h("a.button", { href: link("/calendar") }, icon("calendar"), t("calendar")),
      ),
    ),
    page,
  );
}

/** @param {Entry[]} entries */
const timeOf = (entries) => entries.reduce((sum, it) => sum + it.milliseconds, 0);

/** @param {Entry[]} entries */
function totals(entries) {
  const reviews = entries.filter((it) => it.kind === "review");
  const recalled = reviews.filter((it) => Number(it.rating) > 1).length;
  const quizzes = entries.filter((it) => it.kind === "quiz");
  const sum = (/** @type {string} */ name) => quizzes.reduce((all, it) => all + (Number(it.fields[name]) || 0), 0);
  const answered = sum("correct") + sum("incorrect");
  /** @type {[string, string][]} */
  const facts = [
    [t("totalTime"), duration(timeOf(entries))],
    [t("reviews"), number(reviews.length)],
    [t("recalled"), reviews.length > 0 ? percent(recalled / reviews.length) : "–"],
    [t("quizScore"), answered > 0 ? percent(sum("correct") / answered) : "–"],
  ];
  return h(
    "dl.facts-grid",
    null,
    facts.map(([name, value]) => h("div.card", null, h("dt", null, name), h("dd.number", null, value))),
  );
}

/** @param {Entry[]} entries @param {number} from @param {number} today */
function byDay(entries, from, today) {
  const byDate = Map.groupBy(entries, (it) => it.day);
  const count = today - from + 1;
  const bars = Array.from({ length: count }, (_, index) => {
    const all = byDate.get(from + index) ?? [];
    return {
      label: date(dateOf(from + index), count > 7 ? { day: "numeric", month: "numeric" } : { weekday: "short" }),
      value: timeOf(all),
      words: duration(timeOf(all)),
      parts: KINDS.map((kind) => ({ kind, value: timeOf(all.filter((it) => it.kind === kind)) })),
    };
  });
  return barChart({ label: t("timeByDay"), bars, every: Math.ceil(count / 7) });
}

const legend = () =>
  h(
    "ul.legend",
    { role: "list" },
    KINDS.map((kind) => h("li", null, h("span.legend-mark", { class: `is-${kind}` }), t(`kind-${kind}`))),
  );

/** @param {Entry[]} entries */
function functionTimes(entries) {
  const all = timeOf(entries);
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("byFunction")),
    h(
      "dl.function-times",
      null,
      KINDS.map((kind) => {
        const spent = timeOf(entries.filter((it) => it.kind === kind));
        return h(
          "div",
          null,
          h("dt", null, h("span.legend-mark", { class: `is-${kind}` }), t(`kind-${kind}`)),
          h("dd.number", null, duration(spent)),
          h(
            "span.meter",
            { "aria-hidden": "true" },
            h("span", { class: `is-${kind}`, style: { "--part": all > 0 ? spent / all : 0 } }),
          ),
        );
      }),
    ),
  );
}

function knowledge() {
  const { model, store } = study();
  const cards = [...model.cardsBySet.get().values()].flat();
  const memories = cards.map((it) => model.memoryOf(it.id));
  const counts = levelCounts(memories);
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("mastery")),
    h("p.big-number.number", null, percent(mastery(memories, model.scheduler.get(), store.now()))),
    masteryBar(cards),
    h(
      "dl.level-counts",
      null,
      /** @type {const} */ (["mature", "young", "learning", "new"]).map((level) =>
        h(
          "div",
          null,
          h("dt", null, h("span.legend-mark", { class: `is-${level}` }), t(`level-${level}`)),
          h("dd.number", null, number(counts[level])),
        )
      ),
    ),
  );
}

/** How many cards become due on each of the next days. */
function forecast() {
  const { model } = study();
  const today = model.today();
  const { rolloverHour } = model.settings.get();
  const counts = Array(14).fill(0);
  for (const card of [...model.cardsBySet.get().values()].flat()) {
    const { due } = model.memoryOf(card.id);
    if (due === null) continue;
    const index = Math.max(0, studyDay(due, utcOffset(due), rolloverHour) - today);
    if (index < counts.length) counts[index]++;
  }
  const bars = counts.map((value, index) => ({
    label: index === 0 ? t("today") : date(dateOf(today + index), { weekday: "short" }),
    value,
    words: t("cardCount", { count: value }),
  }));
  return barChart({ label: t("forecast"), bars });
}

/** @param {Entry[]} entries */
function setList(entries) {
  const { model } = study();
  const rows = model.sets.get().map((set) => ({ set, spent: timeOf(entries.filter((it) => it.set === set.id)) }))
    .filter((it) => it.spent > 0).sort((a, b) => b.spent - a.spent).slice(0, 8);
  if (rows.length === 0) return null;
  return h(
    "section.stack",
    null,
    h("h2", null, t("bySet")),
    h(
      "ul.rows",
      { role: "list" },
      rows.map(({ set, spent }) =>
        h(
          "li",
          null,
          h(
            "a",
            { href: link(`/sets/${set.id}`) },
            h("span.grow.truncate", null, set.title),
            h("span.number.soft", null, duration(spent)),
          ),
        )
      ),
    ),
  );
}
