// @ts-check
import { call, Problem } from "../api.js";
import { follow, on } from "../realtime.js";
import { h, onCleanUp, state } from "../view.js";
import "./style.js";
import { t } from "./strings.js";

/** @import { Presence } from "../../../Types/api.d.ts" */

const TEXTS = /** @type {const} */ ({ active: "activeNow", recently: "activeRecently", today: "activeToday" });

/**
 * Whether someone is active, as far as they show it; follows it as it changes.
 * @param {string} userID
 */
export function presenceText(userID) {
  const status = state(/** @type {Presence["status"]} */ ("away"));
  const controller = new AbortController();
  onCleanUp(() => controller.abort());
  const load = async () => {
    try {
      const { items } = await call("GET /v1/presence", { users: userID }, { signal: controller.signal });
      status.set(items[0]?.status ?? "away");
    } catch (error) {
      if (!controller.signal.aborted && !Problem.is(error)) throw error;
    }
  };
  load();
  follow(`user:${userID}:presence`);
  on("presence.changed", (data) => data.user === userID && status.set(data.status));
  on("resync", load);
  return h("span.presence", { "aria-live": "polite" }, () => {
    const current = status.get();
    return current !== "away" &&
      h("span", null, h("span.presence-dot", { class: `is-${current}`, "aria-hidden": "true" }), t(TEXTS[current]));
  });
}
