// @ts-check
/** Many files on their way, a few at a time: one that fails harms no other. Without the page. */
import { state } from "../../../shared/signals.js";

/** @import { State } from "../../../shared/signals.js" */

/**
 * How far a file is. `part`: from 0 to 1, where it is known.
 * @template T
 * @typedef {{ phase: "waiting" } | { phase: "uploading" | "preparing" | "reading", part?: number }
 *   | { phase: "ready", result: T } | { phase: "failed", error: unknown }} Progress
 */
/**
 * @template T
 * @typedef {{ id: string, file: File, progress: State<Progress<T>> }} QueuedFile
 */
/**
 * What is done with a file; `report` says how far it is, `signal` ends it.
 * @template T
 * @typedef {(file: File, tools: { id: string, signal: AbortSignal, report: (progress: Progress<T>) => void }) => Promise<T>} Work
 */

/**
 * @template T
 * @param {Work<T>} work
 * @param {{ atOnce?: number, onend?: (file: QueuedFile<T>) => void }} [options] `onend`: a file is ready, or has failed
 */
export function fileQueue(work, { atOnce = 2, onend } = {}) {
  const files = state(/** @type {QueuedFile<T>[]} */ ([]));
  /** @type {Map<string, AbortController>} */
  const running = new Map();

  function next() {
    const waiting = files.get().find((it) => it.progress.get().phase === "waiting");
    if (!waiting || running.size >= atOnce) return;
    begin(waiting);
    next();
  }

  /** @param {QueuedFile<T>} queued */
  async function begin({ id, file, progress }) {
    const controller = new AbortController();
    running.set(id, controller);
    progress.set({ phase: "uploading", part: 0 });
    const { signal } = controller;
    const report = (/** @type {Progress<T>} */ it) => void (signal.aborted || progress.set(it));
    try {
      report({ phase: "ready", result: await work(file, { id, signal, report }) });
    } catch (error) {
      report({ phase: "failed", error });
    }
    running.delete(id);
    if (!signal.aborted) onend?.({ id, file, progress });
    next();
  }

  return {
    files,
    /** Those that are there already are left out: a file is uploaded once. @param {Iterable<File>} chosen */
    add(chosen) {
      for (const file of chosen) {
        if (files.get().some((it) => isSame(it.file, file))) continue;
        const progress = state(/** @type {Progress<T>} */ ({ phase: "waiting" }));
        files.update((all) => [...all, { id: crypto.randomUUID(), file, progress }]);
      }
      next();
    },
    /** Tries a file again that has failed. @param {QueuedFile<T>} queued */
    again({ progress }) {
      progress.set({ phase: "waiting" });
      next();
    },
    /** @param {string} id */
    remove(id) {
      running.get(id)?.abort();
      files.update((all) => all.filter((it) => it.id !== id));
    },
    /** Ends everything. */
    stop() {
      files.set([]);
      for (const controller of running.values()) controller.abort();
    },
  };
}

/** Whether the upload of one continues that of the other. @param {File} one @param {File} other */
const isSame = (one, other) =>
  one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;
