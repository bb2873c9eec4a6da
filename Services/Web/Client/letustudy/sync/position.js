// @ts-check
/**
 * Positions in a list as texts, ordered by their characters: there is always one between two others, so
 * that moving a card changes no other. They grow slowly at the end of a list, where most are added.
 */

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
const BASE = DIGITS.length;
const LENGTH = 4;

/**
 * @param {string | null} lower the position before; `null` at the beginning
 * @param {string | null} upper the position after; `null` at the end; ignored when it is not greater
 */
export function between(lower, upper) {
  const low = lower ?? "";
  const high = upper && upper > low ? upper : null;
  if (!low && !high) return DIGITS[BASE / 2] + "0".repeat(LENGTH - 1);
  const next = high === null ? afterLast(low) : "";
  if (next > low) return next;
  return fraction(low, high);
}

/** The next position of the usual length, if there is one. @param {string} low */
function afterLast(low) {
  const head = low.padEnd(LENGTH, "0").slice(0, LENGTH);
  const value = [...head].reduce((sum, it) => sum * BASE + Math.max(0, DIGITS.indexOf(it)), 0) + 1;
  return value < BASE ** LENGTH ? value.toString(BASE).padStart(LENGTH, "0") : "";
}

/**
 * Digit by digit, as of numbers between 0 and 1; the result never ends with the least digit, before which nothing is.
 * @param {string} low
 * @param {string | null} high
 */
function fraction(low, high) {
  let result = "";
  let isBelow = high !== null;
  for (let at = 0; at < 200; at++) {
    const from = low.charCodeAt(at) || 0;
    const to = isBelow ? /** @type {string} */ (high).charCodeAt(at) || 0 : 127;
    const choices = [...DIGITS].filter((it) => it > "0" && it.charCodeAt(0) > from && it.charCodeAt(0) < to);
    if (choices.length > 0) return result + choices[Math.floor(choices.length / 2)];
    if (at < low.length) {
      result += low[at];
      isBelow &&= from === to;
    } else if (isBelow && high && to > 0) {
      // what is below the upper text here can only be its least digit
      const isLeast = to <= DIGITS.charCodeAt(0);
      result += isLeast ? high[at] : "0";
      isBelow = isLeast;
    } else return `${result}${DIGITS[BASE / 2]}`;
  }
  return `${low}${DIGITS[BASE / 2]}`;
}
