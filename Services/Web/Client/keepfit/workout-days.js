// @ts-check
/** Sums of the user's workouts by day. */
import { call } from "../shared/api.js";

/** @import { WorkoutTotalsDay, WorkoutTotalsSum } from "../../Types/api.d.ts" */

/** The calendar day of the place where the user is. @param {Date} at */
export const dayName = (at) =>
  `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}-${String(at.getDate()).padStart(2, "0")}`;

/**
 * The last days, oldest first, also those without a workout.
 * @param {number} count
 * @param {WorkoutTotalsDay[]} known
 * @param {Date} [today]
 * @returns {WorkoutTotalsDay[]}
 */
export function lastDays(count, known, today = new Date()) {
  const sums = new Map(known.map((it) => [it.day, it.sum]));
  /** @type {WorkoutTotalsSum} */
  const none = { count: 0, activeSeconds: 0, kilocalories: 0 };
  return Array.from({ length: count }, (_, index) => {
    const day = dayName(new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - index)));
    return { day, sum: sums.get(day) ?? none };
  });
}

/** @param {number} count of days @param {AbortSignal} [signal] */
export async function loadTotals(count, signal) {
  const [first, last] = [lastDays(count, [])[0].day, dayName(new Date())];
  const totals = await call("GET /v1/workouts/totals", { from: first, to: last }, { signal });
  return { ...totals, days: lastDays(count, totals.days) };
}
