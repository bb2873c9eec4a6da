// @ts-check
/** What is left until a time, on the platform's clock. */
import { serverNow } from "../clock.js";
import { clockTime, dateTime, number } from "../language.js";
import { text } from "../text.js";
import { h, onCleanUp, state } from "../view.js";

/**
 * Counts down to a time that may move, such as the end of an auction.
 * @param {() => string | number | Date} until
 * @param {{ onend?: () => void }} [options]
 */
export function countdown(until, { onend } = {}) {
  const now = state(serverNow());
  let hasEnded = false;
  const left = () => new Date(until()).getTime() - now.get();
  const timer = setInterval(() => {
    now.set(serverNow());
    if (left() <= 0 && !hasEnded) onend?.();
    hasEnded = left() <= 0;
  }, 250);
  onCleanUp(() => clearInterval(timer));
  const words = () => {
    const milliseconds = left();
    if (milliseconds <= 0) return text("ended");
    const days = Math.floor(milliseconds / 86_400_000);
    const time = days > 0
      ? number(days, { style: "unit", unit: "day", unitDisplay: "long" })
      : clockTime(milliseconds + 999);
    return text("timeLeft", { time });
  };
  return h("time.countdown", {
    datetime: () => new Date(until()).toISOString(),
    title: () => dateTime(until()),
    class: () => left() < 60_000 ? "is-urgent" : "",
  }, words);
}
