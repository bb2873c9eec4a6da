// @ts-check
/** Time spent in a function of the app, as an entry of the log: while the page is seen and someone does something. */

import { closings } from "../study.js";

/** Longer pauses do not count. */
const IDLE = 90_000;
/** Shorter visits are not worth an entry. */
const SHORTEST = 5000;

/** @typedef {{ kind: "cards" | "course", set?: string, record: (milliseconds: number) => void }} Running */

/** @type {(Running & { spent: number, last: number }) | null} */
let running = null;

function tick() {
  if (!running) return;
  const now = Date.now();
  const passed = now - running.last;
  if (passed < IDLE) running.spent += passed;
  running.last = now;
}

export const session = {
  /** Begins to count. @param {Running} options */
  begin(options) {
    session.end();
    running = { ...options, spent: 0, last: Date.now() };
  },
  end() {
    tick();
    const ended = running;
    running = null;
    if (ended && ended.spent >= SHORTEST) ended.record(Math.round(ended.spent));
  },
};

closings.add(() => session.end());
for (const name of ["pointerdown", "keydown", "scroll"]) globalThis.addEventListener?.(name, tick, { passive: true });
globalThis.addEventListener?.("pagehide", () => session.end());
