// @ts-check
/**
 * Versions of the synchronization (docs/sync.md, "Versions"): hybrid logical timestamps as texts, of which the order is
 * that of the times. The empty text is below every version.
 */
import { TOLERANCE } from "./tolerance.js";

/** What the server's own versions end with. */
export const SERVER = "0".repeat(16);

/** The greatest milliseconds that a clock may show, so that there are versions above them. */
const LATEST = 2 ** 47;

/**
 * @param {number} milliseconds
 * @param {number} counter
 * @param {string} device 16 hexadecimal digits
 */
const write = (milliseconds, counter, device) =>
  `${milliseconds.toString(16).padStart(12, "0")}-${counter.toString(16).padStart(4, "0")}-${device}`;

/** @param {string} version */
const millisecondsOf = (version) => parseInt(version.slice(0, 12) || "0", 16);

/** @param {string} version */
const counterOf = (version) => parseInt(version.slice(13, 17) || "0", 16);

/** @param {string} version */
export const deviceOf = (version) => version.slice(18);

/** @param {...(string | undefined)} versions */
export const greatest = (...versions) => versions.reduce((/** @type {string} */ a, b) => b && b > a ? b : a, "");

/** Grows with every change of a record; empty for one without content. @param {import("./merge.js").MergeRecord} record */
export const versionOf = ({ lifecycle, revision, fields }) =>
  greatest(lifecycle, revision, ...Object.values(fields).map((it) => it.version));

/**
 * A version of a device that is greater than this one.
 * @param {string} version
 * @param {string} device
 */
export function following(version, device) {
  const counter = counterOf(version);
  return counter < 0xffff
    ? write(millisecondsOf(version), counter + 1, device)
    : write(millisecondsOf(version) + 1, 0, device);
}

/**
 * The next version that a device issues, greater than the last that it has issued or seen.
 * @param {string} last
 * @param {number} now by the wall clock, in milliseconds since 1970
 * @param {string} device
 */
export function nextVersion(last, now, device) {
  const milliseconds = Math.min(Math.max(0, Math.floor(now)), LATEST);
  return milliseconds > millisecondsOf(last) ? write(milliseconds, 0, device) : following(last, device);
}

/**
 * Puts the versions of a device whose clock is wrong right, as the server does, in the order of its operations.
 * @param {number} now the server's clock, in milliseconds since 1970
 * @param {number} deviceTime what the device's clock showed at the same time
 */
export function clockCorrection(now, deviceTime) {
  const difference = now - deviceTime;
  const offset = Math.abs(difference) > TOLERANCE ? difference : 0;
  let last = "";
  /**
   * @param {string} version
   * @param {string} seen
   */
  return (version, seen) => {
    const milliseconds = millisecondsOf(version);
    const isWrong = offset !== 0 || milliseconds > now + TOLERANCE;
    const moved = isWrong ? Math.min(Math.max(milliseconds + offset, 0), now) : milliseconds;
    const corrected = write(moved, counterOf(version), deviceOf(version));
    const floor = greatest(seen, last);
    last = corrected > floor ? corrected : following(floor, deviceOf(version));
    return last;
  };
}
