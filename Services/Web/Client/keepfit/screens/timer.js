// @ts-check
import { call } from "../../shared/api.js";
import { serverNow } from "../../shared/clock.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { announce } from "../../shared/components/toast.js";
import { clockTime } from "../../shared/language.js";
import { go } from "../../shared/router.js";
import { h, onCleanUp, state } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { workoutChooser } from "../components/workout-chooser.js";
import { loadWords, word } from "../words.js";
import { workoutSign } from "../components/signs.js";
import { activeMilliseconds, workoutName } from "../workouts.js";

/** @import { ListedWorkoutType, Workout } from "../../../Types/api.d.ts" */
/** @import { Visit } from "../../shared/router.js" */

/** @param {Visit} visit */
export async function load({ signal }) {
  const [table, workouts] = await Promise.all([
    call("GET /v1/workout-types", {}, { signal }),
    call("GET /v1/workouts", { limit: 5 }, { signal }),
    loadWords(),
  ]);
  return { types: table.items, running: workouts.items.find((it) => it.status !== "finished") ?? null };
}

/**
 * Chooses a workout and times it. It runs on the server, so it goes on when the page is closed.
 * @param {{ types: ListedWorkoutType[], running: Workout | null }} data
 * @param {Visit} visit
 */
export default function timerScreen({ types, running }, { query }) {
  if (running) return clock(running);
  const selected = query.get("type") ?? "";
  return workoutChooser({ types, selected, onstart: () => go("/workouts/timer", { replace: true }) });
}

/** Keeps the screen on, where the browser can; it also ends when the page is hidden. @returns {() => void} ends it */
function keepAwake() {
  const lock = navigator.wakeLock?.request("screen").catch(() => undefined);
  return () => void lock?.then((it) => it?.release());
}

/** @param {Workout} running */
function clock(running) {
  const { id, type } = running;
  const workout = state(running);
  const isPaused = () => workout.get().status === "paused";
  const elapsed = state(activeMilliseconds(running, serverNow()));
  const measure = () => elapsed.set(activeMilliseconds(workout.get(), serverNow()));
  const timer = setInterval(measure, 200);
  onCleanUp(() => clearInterval(timer));
  onCleanUp(keepAwake());

  const pauseOrResume = async () => {
    workout.set(await call(isPaused() ? "POST /v1/workouts/{id}/resume" : "POST /v1/workouts/{id}/pause", { id }));
    announce(t(isPaused() ? "paused" : "resumed"));
  };
  const finish = async () => {
    await call("POST /v1/workouts/{id}/finish", { id, body: {} });
    await go(`/workouts/${id}?finished=1`, { replace: true });
  };
  const discard = async () => {
    const isSure = await confirmDialog({
      title: t("discardQuestion"),
      message: t("discardHint"),
      confirm: t("discard"),
      isDangerous: true,
    });
    if (!isSure) return;
    await call("DELETE /v1/workouts/{id}", { id });
    await go("/workouts", { replace: true });
  };

  return h(
    "section.timer",
    { class: () => isPaused() ? "is-paused" : "" },
    h("h1", null, workoutName(running)),
    h(
      "div.dial",
      null,
      h(
        "svg.dial-ring",
        { viewBox: "0 0 200 200", "aria-hidden": "true" },
        h("circle.dial-track", { cx: 100, cy: 100, r: 92 }),
        h("circle.dial-part", {
          cx: 100,
          cy: 100,
          r: 92,
          pathLength: 60,
          transform: "rotate(-90 100 100)",
          "stroke-dasharray": () => `${Math.max(0.01, elapsed.get() / 1000 % 60)} 60`,
        }),
      ),
      h(
        "div.dial-face",
        null,
        workoutSign(type),
        h("p.dial-time.number", { role: "timer", "aria-label": t("elapsed") }, () => clockTime(elapsed.get())),
        h("p.soft", null, () => isPaused() ? t("paused") : word("workoutType", type)),
      ),
    ),
    h(
      "div.timer-actions",
      null,
      actionButton({
        label: () => t(isPaused() ? "resume" : "pause"),
        icon: () => isPaused() ? "play" : "pause",
        class: "timer-button",
        run: pauseOrResume,
      }),
      actionButton({ label: t("finish"), icon: "flag", class: "primary timer-button", run: finish }),
    ),
    actionButton({ label: t("discard"), class: "quiet", run: discard }),
    h("p.soft.small-text", null, icon("info"), " ", t("timerHint")),
  );
}
