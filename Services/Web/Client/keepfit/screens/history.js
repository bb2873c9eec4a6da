// @ts-check
import { call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { go, link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { weekChart } from "../components/charts.js";
import { workoutSign } from "../components/signs.js";
import { t } from "../screen-strings.js";
import { loadTotals } from "../workout-days.js";
import { choices, loadWords, word } from "../words.js";
import { workoutList } from "../components/workout-list.js";
import { duration, energy, figure } from "../workouts.js";

/** @import { Visit } from "../../shared/router.js" */

/** @param {Visit} visit */
export async function load({ signal, query }) {
  const days = query.get("days") === "30" ? 30 : 7;
  const [totals] = await Promise.all([loadTotals(days, signal), loadWords()]);
  return { days, totals };
}

/** @param {Awaited<ReturnType<typeof load>>} data */
export default function historyScreen({ days, totals }) {
  const { all, types } = totals;
  return h(
    "div.stack",
    null,
    h(
      "div.page-header",
      null,
      h("h1", null, t("workouts")),
      h(
        "div.row",
        null,
        h("button.button", { type: "button", onclick: addPast }, icon("add"), t("addPast")),
        h("a.button.primary", { href: link("/workouts/timer") }, icon("play"), t("startWorkout")),
      ),
    ),
    h(
      "section.card.stack",
      { "aria-label": t("totals") },
      h(
        "nav.tabs",
        { "aria-label": t("period") },
        [7, 30].map((count) =>
          h("a.tab", {
            href: link("/workouts", { days: count === 7 ? undefined : count }),
            "aria-current": count === days ? "true" : null,
          }, t("lastDays", { count }))
        ),
      ),
      h(
        "dl.figures.is-large",
        null,
        figure(all.count, t("workouts")),
        figure(duration(all.activeSeconds), t("time")),
        figure(energy(all.kilocalories), t("burned")),
      ),
      weekChart(totals.days, { every: days === 7 ? 1 : 5 }),
      types.length > 0 && h(
        "ul.type-sums",
        { role: "list", "aria-label": t("byType") },
        types.map(({ type, sum }) =>
          h(
            "li",
            null,
            workoutSign(type),
            h("span.grow", null, word("workoutType", type)),
            h("span.soft.number", null, t("times", { count: sum.count })),
            h("strong.number", null, duration(sum.activeSeconds)),
          )
        ),
      ),
    ),
    h("h2", null, t("history")),
    workoutList(),
  );
}

/** Records a workout that was done without the timer. */
function addPast() {
  return openDialog({
    title: t("addPast"),
    build: (close) => {
      const type = state("running");
      return form({
        fields: [
          { name: "type", label: t("workoutType"), kind: "select", value: type.get(), options: choices("workoutType") },
          { name: "startedAt", label: t("starts"), kind: "datetime-local", required: true },
          {
            name: "minutes",
            label: t("minutesLabel"),
            kind: "number",
            value: 30,
            required: true,
            props: { min: 1, max: 1440, inputmode: "numeric" },
          },
          { name: "note", label: t("note"), kind: "textarea", props: { maxlength: 500 } },
        ],
        submit: text("add"),
        oncancel: () => close(),
        onsubmit: async ({ type, startedAt, minutes, note }, { key }) => {
          const start = new Date(startedAt);
          const weight = user.get()?.details.weightGrams;
          const body = {
            type,
            note,
            weight,
            startedAt: start.toISOString(),
            finishedAt: new Date(start.getTime() + minutes * 60_000).toISOString(),
          };
          const workout = await call("POST /v1/workouts", { body }, { key });
          close();
          toast(t("added"), { kind: "success" });
          await go(`/workouts/${workout.id}`);
        },
      });
    },
  });
}
