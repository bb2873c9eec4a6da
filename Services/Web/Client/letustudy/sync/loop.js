// @ts-check
/** When to synchronize: at the start, when the connection returns, after changes, on hints of the server, now and then. */
import { Problem } from "../../shared/api.js";
import { follow, on } from "../../shared/realtime.js";
import { Scope, state } from "../../shared/signals.js";
import { synchronize } from "./synchronize.js";

/** @import { Store } from "./store.js" */

const INTERVAL = 5 * 60_000;
const AFTER_CHANGE = 800;
const LONGEST_WAIT = 2 * 60_000;

/** @typedef {{ phase: "waiting" | "syncing" | "synced" | "offline" | "failed", at: number | null, error?: unknown }} SyncStatus */

/** @param {Store} store @param {{ onsynced?: () => Promise<void> }} [options] */
export function syncLoop(store, { onsynced } = {}) {
  const status = state(/** @type {SyncStatus} */ ({ phase: "waiting", at: null }));
  const controller = new AbortController();
  const { signal } = controller;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let failures = 0;
  /** @type {Promise<void> | undefined} */
  let running;
  /** @type {Promise<void> | undefined} */
  let next;

  /** @param {number} wait */
  function later(wait) {
    if (signal.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(run, wait);
  }

  /**
   * Synchronizes now. Resolves when what was known here and there at the call has been exchanged, or the attempt has failed: a
   * run that had begun before may have missed it, so another follows.
   * @returns {Promise<void>}
   */
  function run() {
    clearTimeout(timer);
    if (running) {
      return next ??= running.then(() => {
        next = undefined;
        return run();
      });
    }
    return running = attempt().finally(() => running = undefined);
  }

  /** One tab at a time. */
  async function attempt() {
    // a change meanwhile is sooner
    later(INTERVAL);
    status.update((it) => ({ ...it, phase: "syncing" }));
    try {
      await navigator.locks.request(`letustudy.sync.${store.user}`, { signal }, () => synchronize(store, signal));
      failures = 0;
      await onsynced?.();
      status.set({ phase: "synced", at: Date.now() });
    } catch (error) {
      if (signal.aborted) return;
      const isOffline = error instanceof Problem && (error.isOffline || error.status >= 500);
      if (!Problem.is(error)) console.warn("the synchronization has failed", error);
      status.update(({ at }) => ({ phase: isOffline ? "offline" : "failed", at, error }));
      const pause = Math.min(LONGEST_WAIT, 2000 * 2 ** failures++) * (0.5 + Math.random());
      later(Math.max(pause, (error instanceof Problem ? error.retryAfter ?? 0 : 0) * 1000));
    }
  }

  store.onchange = () => later(AFTER_CHANGE);
  globalThis.addEventListener("online", run, { signal });
  globalThis.addEventListener("offline", () => status.update((it) => ({ ...it, phase: "offline" })), { signal });
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && run(), { signal });
  const scope = new Scope();
  scope.run(() => {
    follow(`sync:${store.user}`);
    on("changed", (data) => data?.device !== store.device && later(50));
    on("resync", () => later(50));
  });
  const first = run();
  return {
    /** Resolves after the first attempt. */
    first,
    status,
    run,
    stop() {
      controller.abort();
      clearTimeout(timer);
      scope.dispose();
    },
  };
}
