// @ts-check
/** The choice of a workout and its intensity, before the timer starts. */
import { call, Problem } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { user } from "../../shared/session.js";
import { h, state } from "../../shared/view.js";
import { searchField } from "./explore.js";
import { workoutSign } from "./signs.js";
import { t } from "../screen-strings.js";
import { word } from "../words.js";

/** @import { ListedWorkoutType } from "../../../Types/api.d.ts" */
/** @typedef {ListedWorkoutType["intensities"][number]["intensity"]} Intensity */

/** Shown before someone searches or asks for all. */
const POPULAR = ["running", "walking", "cycling", "weights", "yoga", "hiit", "swimming", "home-exercise", "pilates"];

/** @type {Record<Intensity, "lightHint" | "moderateHint" | "vigorousHint">} */
const HINTS = { light: "lightHint", moderate: "moderateHint", vigorous: "vigorousHint" };

/**
 * @param {{ types: ListedWorkoutType[], selected: string, onstart: () => void }} options
 */
export function workoutChooser({ types, selected, onstart }) {
  const known = types.find((it) => it.id === selected);
  const type = state(known?.id ?? POPULAR[0]);
  const intensity = state(/** @type {Intensity} */ ("moderate"));
  const search = state("");
  const showsAll = state(known !== undefined && !POPULAR.includes(known.id));

  const offered = () => {
    const words = search.get().toLowerCase();
    if (words) return types.filter((it) => word("workoutType", it.id).toLowerCase().includes(words));
    return showsAll.get() ? types : types.filter((it) => POPULAR.includes(it.id));
  };
  const intensities = () => types.find((it) => it.id === type.get())?.intensities.map((it) => it.intensity) ?? [];
  const chosenIntensity = () => intensities().includes(intensity.get()) ? intensity.get() : intensities()[0];

  async function start() {
    const body = { type: type.get(), intensity: chosenIntensity(), weight: user.get()?.details.weightGrams };
    try {
      await call("POST /v1/workouts", { body });
    } catch (error) {
      // in another tab, or on another device
      if (Problem.is(error, "workout-running")) return onstart();
      // without the consent there is no weight, and a workout without calories
      if (!Problem.is(error, "consent-required")) throw error;
      await call("POST /v1/workouts", { body: { ...body, weight: undefined } });
    }
    onstart();
  }

  return h(
    "div.stack",
    null,
    h("div", null, h("h1", null, t("startWorkout")), h("p.soft", null, t("chooseWorkout"))),
    searchField({ label: t("searchTypes"), onsearch: (text) => search.set(text) }),
    h(
      "fieldset.choice-grid",
      null,
      h("legend.label", null, t("workoutType")),
      () =>
        offered().map((it) =>
          radio("type", it.id, () => type.get() === it.id, () => type.set(it.id), [
            h("span.workout-sign", null, workoutSign(it.id)),
            h("span", null, word("workoutType", it.id)),
          ])
        ),
      () => offered().length === 0 && h("p.soft", null, t("noTypes")),
    ),
    () =>
      !showsAll.get() && !search.get() &&
      h(
        "p",
        null,
        h(
          "button.button",
          { type: "button", onclick: () => showsAll.set(true) },
          t("allTypes", { count: types.length }),
        ),
      ),
    h(
      "fieldset.choice-grid.is-wide",
      null,
      h("legend.label", null, t("intensity")),
      () =>
        intensities().map((it) =>
          radio("intensity", it, () => chosenIntensity() === it, () => intensity.set(it), [
            h(
              "span",
              null,
              h("strong", null, word("intensityLevel", it)),
              h("span.soft.small-text.choice-hint", null, t(HINTS[it])),
            ),
          ])
        ),
    ),
    h(
      "div.sticky-action",
      null,
      actionButton({ label: t("startTimer"), icon: "play", class: "primary timer-button wide", run: start }),
    ),
  );
}

/**
 * @param {string} name
 * @param {string} value
 * @param {() => boolean} isChosen
 * @param {() => void} choose
 * @param {Node[]} content
 */
const radio = (name, value, isChosen, choose, content) =>
  h("label.choice", null, h("input", { type: "radio", name, value, checked: isChosen, onchange: choose }), content);
