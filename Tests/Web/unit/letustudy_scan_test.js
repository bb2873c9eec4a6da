// @ts-check
import assert from "node:assert/strict";
import { fileQueue } from "../../../Services/Web/Client/letustudy/parts/scan/queue.js";

/** @param {string} name */
const file = (name) => new File([name], name);

/** Lets everything go on that waits for nothing but others. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

/** Work that ends when it is told to, by the name of the file. */
function work() {
  /** @type {Map<string, { end: (result: string) => void, fail: (error: unknown) => void, signal: AbortSignal }>} */
  const running = new Map();
  /** @type {import("../../../Services/Web/Client/letustudy/parts/scan/queue.js").Work<string>} */
  const run = ({ name }, { signal, report }) => {
    report({ phase: "reading", part: 0.5 });
    return new Promise((resolve, reject) => {
      running.set(name, { end: resolve, fail: reject, signal });
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
  return { running, run };
}

/** @param {ReturnType<typeof fileQueue<string>>} queue */
const phases = (queue) => queue.files.get().map((it) => it.progress.get().phase);

Deno.test("a few files are worked on at a time, and one that fails harms no other", async () => {
  const { running, run } = work();
  /** @type {string[]} */
  const ended = [];
  const queue = fileQueue(run, { onend: (it) => ended.push(it.file.name) });
  queue.add(["a", "b", "c"].map(file));
  assert.deepEqual(phases(queue), ["reading", "reading", "waiting"]);
  running.get("a")?.fail(new Error("damaged"));
  await settle();
  assert.deepEqual(phases(queue), ["failed", "reading", "reading"]);
  running.get("c")?.end("text");
  await settle();
  assert.deepEqual(phases(queue), ["failed", "reading", "ready"]);
  queue.again(queue.files.get()[0]);
  assert.deepEqual(phases(queue), ["reading", "reading", "ready"]);
  assert.deepEqual(ended, ["a", "c"]);
});

Deno.test("a file that is removed ends, says nothing, and lets the next one begin", async () => {
  const { running, run } = work();
  const queue = fileQueue(run, { atOnce: 1, onend: () => assert.fail("it was removed") });
  queue.add(["a", "b"].map(file));
  queue.remove(queue.files.get()[0].id);
  await settle();
  assert.equal(running.get("a")?.signal.aborted, true);
  assert.deepEqual(phases(queue), ["reading"]);
  queue.stop();
  await settle();
  assert.equal(running.get("b")?.signal.aborted, true);
});
