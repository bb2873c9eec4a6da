// @ts-check
/** What administrators have switched off for everyone (docs/operations.md), which pages do not offer. */
import { call } from "./api.js";
import { text } from "./text.js";
import { h, state } from "./view.js";

/** @import { Operations } from "../../Types/api.d.ts" */
/** @typedef {Operations["PUT /v1/admin/features/{name}"]["args"]["name"]} Feature */

const MINUTE = 60_000;

const features = new Map(["sign-up", "uploads", "auctions", "messages"].map((name) => [name, state(true)]));
let askAgainAt = 0;

/** Whether it is on; followed. Until the platform has said otherwise, it is. @param {Feature} name */
export function isOn(name) {
  ask();
  return features.get(name)?.get() ?? true;
}

async function ask() {
  if (performance.now() < askAgainAt) return;
  askAgainAt = performance.now() + MINUTE;
  const { items } = await call("GET /v1/features", {}, { isPublic: true }).catch(() => {
    askAgainAt = 0;
    return { items: [] };
  });
  for (const feature of items) features.get(feature.name)?.set(feature.isOn);
  // whoever waits for it sees when it is back
  if (items.some((it) => !it.isOn)) setTimeout(ask, MINUTE);
}

/**
 * What needs a feature; while that is switched off, words that say so.
 * @param {Feature} name
 * @param {() => import("./view.js").Child} build
 */
export const offered = (name, build) => () =>
  isOn(name) ? build() : h("p.notice", { role: "status" }, text("switchedOff"));
