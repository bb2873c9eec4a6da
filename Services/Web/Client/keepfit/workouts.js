// @ts-check
/** Workouts: how long they have lasted, and what they are called. */
import { clockTime, number } from "../shared/language.js";
import { h } from "../shared/view.js";
import { t } from "./strings.js";
import { word } from "./words.js";

/** @import { Workout } from "../../Types/api.d.ts" */

/**
 * The time from the start until the end, or until now, without pauses.
 * @param {Pick<Workout, "startedAt" | "finishedAt" | "pauses">} workout
 * @param {number} now
 */
export function activeMilliseconds({ startedAt, finishedAt, pauses }, now) {
  const end = finishedAt ? Date.parse(finishedAt) : now;
  const paused = pauses.reduce((sum, it) => sum + (it.to ? Date.parse(it.to) : end) - Date.parse(it.from), 0);
  return Math.max(0, end - Date.parse(startedAt) - paused);
}

/** @param {{ type: string, intensity: string }} workout */
export const workoutName = ({ type, intensity }) =>
  t("workoutName", { type: word("workoutType", type), intensity: word("intensityLevel", intensity) });

/** "45 min", "1:05 h". @param {number} seconds */
export function duration(seconds) {
  if (seconds < 60) return number(Math.floor(seconds), { style: "unit", unit: "second", unitDisplay: "short" });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return number(minutes, { style: "unit", unit: "minute", unitDisplay: "short" });
  return t("hours", { time: clockTime(minutes * 1000) });
}

/** @param {number} kilocalories */
export const energy = (kilocalories) => t("kilocalories", { value: number(Math.round(kilocalories)) });

/**
 * A number with its meaning below, for rows of `.figures`.
 * @param {any} value
 * @param {string} label
 */
export const figure = (value, label) => h("div.figure", null, h("dt", null, label), h("dd.number", null, value));
