// @ts-check
/** How long something takes, in words. */
import { number } from "../../shared/language.js";

/** @param {number} value @param {string} name */
const unit = (value, name) =>
  number(value, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: 0 });

/** Time spent: "12 min", "1 h 5 min". @param {number} milliseconds */
export function duration(milliseconds) {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 1 && milliseconds >= 1000) return unit(Math.round(milliseconds / 1000), "second");
  if (minutes < 60) return unit(minutes, "minute");
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest > 0 ? `${unit(hours, "hour")} ${unit(rest, "minute")}` : unit(hours, "hour");
}

/** Until a card comes again: "10 min", "4 days", "3 months". @param {number} milliseconds */
export function interval(milliseconds) {
  const days = milliseconds / 86_400_000;
  if (days < 1 / 24) return unit(Math.max(1, Math.round(milliseconds / 60_000)), "minute");
  if (days < 1) return unit(Math.round(days * 24), "hour");
  if (days < 30) return unit(Math.round(days), "day");
  return days < 365 ? unit(Math.round(days / 30.4), "month") : unit(Math.round(days / 365.25), "year");
}
