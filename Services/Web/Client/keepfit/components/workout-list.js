// @ts-check
/** The user's workouts, newest first. */
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { icon } from "../../shared/components/icon.js";
import { date, time } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { workoutSign } from "./signs.js";
import { t } from "../screen-strings.js";
import { word } from "../words.js";
import { duration, energy } from "../workouts.js";

/** @import { Workout } from "../../../Types/api.d.ts" */

export function workoutList() {
  const list = paged((signal) => pages("GET /v1/workouts", { limit: 20 }, { signal }));
  return listView(list, {
    key: (it) => it.id,
    label: t("history"),
    render: (workout) => workoutRow(workout.get()),
    empty: {
      icon: "dumbbell",
      title: t("noWorkouts"),
      message: t("noWorkoutsHint"),
      action: h("a.button.primary", { href: link("/workouts/timer") }, t("startWorkout")),
    },
  });
}

/** @param {Workout} workout */
const workoutRow = ({ id, type, intensity, status, startedAt, activeSeconds, energy: burned, sharing }) =>
  h(
    "a.workout-row",
    { href: link(status === "finished" ? `/workouts/${id}` : "/workouts/timer") },
    h("span.workout-sign", null, workoutSign(type)),
    h(
      "span.grow",
      null,
      h("span.post-title", null, word("workoutType", type)),
      h(
        "span.soft.small-text",
        null,
        t("workoutFacts", {
          day: date(startedAt, { weekday: "short", day: "numeric", month: "short" }),
          time: time(startedAt),
          intensity: word("intensityLevel", intensity),
        }),
      ),
    ),
    status !== "finished" ? h("span.chip.is-live", null, t("running")) : h(
      "span.row-figures",
      null,
      h("strong.number", null, duration(activeSeconds)),
      burned && h("span.soft.small-text.number", null, energy(burned.kilocalories)),
    ),
    sharing && h("span.shared-sign", { role: "img", "aria-label": t("isShared") }, icon("share")),
  );
