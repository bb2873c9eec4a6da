// @ts-check
/** Writes what was studied into the logs. */
import { study } from "../study.js";
import { ROLLOVER_HOUR, utcOffset } from "./days.js";

/** @param {number} milliseconds */
function entry(milliseconds) {
  const { store, model } = study();
  const now = store.now();
  const { rolloverHour } = model.settings.get();
  return {
    at: new Date(now).toISOString(),
    milliseconds: Math.round(milliseconds),
    utcOffsetMinutes: utcOffset(now),
    rolloverHour: rolloverHour === ROLLOVER_HOUR ? undefined : rolloverHour,
  };
}

/** @param {{ id: string, set: string }} card @param {1 | 2 | 3 | 4} rating @param {number} milliseconds */
export const recordReview = ({ id, set }, rating, milliseconds) =>
  study().store.append("reviews", { ...entry(Math.min(milliseconds, 120_000)), set, card: id, rating });

/** @param {"cards" | "course"} kind @param {number} milliseconds @param {string} [set] */
export const recordSession = (kind, milliseconds, set) =>
  study().store.append("studySessions", { ...entry(milliseconds), function: kind, set });

/** @param {string} set @param {number} milliseconds @param {{ correct: number, incorrect: number, unanswered: number }} result */
export const recordQuiz = (set, milliseconds, result) =>
  study().store.append("quizResults", { ...entry(milliseconds), set, ...result });
