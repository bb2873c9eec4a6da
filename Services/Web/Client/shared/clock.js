// @ts-check
/** The platform's clock, by which auctions end: from the `Date` of its answers, which has whole seconds. */

let [least, most] = [-Infinity, Infinity];

/**
 * Each answer narrows how far the platform's clock is ahead of this device's.
 * @param {string | null | undefined} date
 * @param {number} [now]
 */
export function noteServerTime(date, now = Date.now()) {
  const begin = date ? Date.parse(date) : NaN;
  if (Number.isNaN(begin)) return;
  // The answer was made in [begin, begin + 1 s), and up to a second before now.
  const [low, high] = [begin - now, begin + 2000 - now];
  if (low > most || high < least) [least, most] = [low, high];
  else [least, most] = [Math.max(least, low), Math.min(most, high)];
}

/**
 * The time at the platform, in milliseconds since 1970.
 * @param {number} [now]
 */
export function serverNow(now = Date.now()) {
  return Number.isFinite(least) ? now + (least + most) / 2 : now;
}
