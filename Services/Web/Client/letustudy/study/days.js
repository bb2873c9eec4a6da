// @ts-check
/** Local days of study, as days since 1970-01-01, and how many there are in a row (`Shared/StudyModel/Statistics`). */
import { DAY } from "./scheduler.js";

/** Study after midnight belongs to the evening before. */
export const ROLLOVER_HOUR = 4;

/** @param {number} offset @param {number} rollover */
const shift = (offset, rollover) => (Math.min(Math.max(offset, -1080), 1080) - rollover * 60) * 60_000;

/**
 * @param {number} at milliseconds since 1970
 * @param {number} offset local time minus UTC, in minutes
 * @param {number} [rollover] the hour at which a day begins
 */
export const studyDay = (at, offset, rollover = ROLLOVER_HOUR) => Math.floor((at + shift(offset, rollover)) / DAY);

/** When a day begins, in milliseconds since 1970. @param {number} day @param {number} offset @param {number} [rollover] */
export const dayStart = (day, offset, rollover = ROLLOVER_HOUR) => day * DAY - shift(offset, rollover);

/** The day as a date at noon in this device's zone, to be formatted. @param {number} day */
export function dateOf(day) {
  const date = new Date(day * DAY);
  return new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), 12);
}

/** Local time minus UTC, in minutes. @param {number} at */
export const utcOffset = (at) => -new Date(at).getTimezoneOffset();

/** 1 for Monday … 7 for Sunday. @param {number} day */
export const weekday = (day) => ((day + 3) % 7 + 7) % 7 + 1;

/** What a day holds: when study began first and last, and where that was. @typedef {{ first: number, last: number, offset: number }} DayTimes */

/**
 * @param {{ at: number, offset: number, day: number }[]} entries
 * @returns {Map<number, DayTimes>}
 */
export function dayTimes(entries) {
  /** @type {Map<number, DayTimes>} */
  const days = new Map();
  for (const { at, offset, day } of entries) {
    const known = days.get(day);
    if (!known) {
      days.set(day, { first: at, last: at, offset });
      continue;
    }
    known.first = Math.min(known.first, at);
    if (at > known.last || (at === known.last && offset > known.offset)) Object.assign(known, { last: at, offset });
  }
  return days;
}

/**
 * Days of study in a row. Days that travel to the east took do not interrupt: by the clock of the place of the study
 * before, the next study was still in time.
 * @param {Map<number, DayTimes>} days
 * @param {number} now
 * @param {number} offset
 * @param {number} [rollover]
 */
export function streak(days, now, offset, rollover = ROLLOVER_HOUR) {
  const today = studyDay(now, offset, rollover);
  const excused = excusedDays(days, today, now, rollover);
  const areConnected = (/** @type {number} */ one, /** @type {number} */ other) => {
    for (let day = one + 1; day < other; day++) if (!excused.has(day)) return false;
    return true;
  };
  // tomorrow counts: someone who flies west may have studied on a day that has not begun yet where they are now
  const studied = [...days.keys()].filter((it) => it <= today + 1).sort((a, b) => a - b);
  let [longest, run] = [0, 0];
  for (const [index, day] of studied.entries()) {
    run = index > 0 && areConnected(studied[index - 1], day) ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  const last = studied.at(-1);
  const isAlive = last !== undefined && (last >= today || areConnected(last, today));
  return { current: isAlive ? run : 0, longest, includesToday: days.has(today) };
}

/**
 * @param {Map<number, DayTimes>} days
 * @param {number} today
 * @param {number} now
 * @param {number} rollover
 */
function excusedDays(days, today, now, rollover) {
  /** @type {Set<number>} */
  const excused = new Set();
  const isInTime = (/** @type {number} */ at, /** @type {number} */ after) => {
    const content = days.get(after);
    return content !== undefined && studyDay(at, content.offset, rollover) <= after + 1;
  };
  for (const day of days.keys()) {
    // zones are at most 26 hours apart, so travel takes no more than two days
    for (const gap of [2, 3]) {
      const missing = gap === 2 ? [day + 1] : [day + 1, day + 2];
      const arrival = days.get(day + gap)?.first ?? (day + gap === today ? now : undefined);
      if (arrival === undefined || missing.some((it) => days.has(it))) continue;
      if (isInTime(arrival, day) || isInTime(arrival, day - 1)) missing.forEach((it) => excused.add(it));
    }
  }
  return excused;
}
