// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { pause } from "../../../Services/Web/Client/shared/api.js";
import { syncLoop } from "../../../Services/Web/Client/letustudy/sync/loop.js";

Deno.test("a change while a synchronization ends is sent soon, not after the interval", async () => {
  /** @type {(() => void)[]} */
  const attempts = [];
  Object.defineProperty(navigator, "locks", {
    value: { request: () => new Promise((resolve) => attempts.push(() => resolve(undefined))) },
  });
  const store = /** @type {any} */ ({ user: "ada", device: "d" });
  const loop = syncLoop(store);
  store.onchange();
  attempts[0]();
  await loop.first;
  assert.equal(loop.status.get().phase, "synced");
  await pause(900);
  assert.equal(attempts.length, 2);
  loop.stop();
});
