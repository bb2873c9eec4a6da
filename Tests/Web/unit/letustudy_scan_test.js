// @ts-check
import { find } from "./document.js";
import assert from "node:assert/strict";
import { json, settle, withGateway } from "./gateway.js";
import { scannedFile } from "../../../Services/Web/Client/letustudy/components/scan/file.js";
import { scannedMedia } from "../../../Services/Web/Client/letustudy/components/scan/media.js";
import { fileQueue } from "../../../Services/Web/Client/letustudy/components/scan/queue.js";
import { flush, mount, state } from "../../../Services/Web/Client/shared/view.js";

/** @param {string} name */
const file = (name) => new File([name], name);

/** Work that ends on command, by the name of the file. */
function work() {
  /** @type {Map<string, { end: (result: string) => void, fail: (error: unknown) => void, signal: AbortSignal }>} */
  const running = new Map();
  /** @type {import("../../../Services/Web/Client/letustudy/components/scan/queue.js").Work<string>} */
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

Deno.test("a file that is there already is not added again", () => {
  const { run } = work();
  const queue = fileQueue(run);
  const notes = new File(["aqua"], "notes", { lastModified: 1 });
  queue.add([
    notes,
    new File(["aqua"], "notes", { lastModified: 1 }),
    new File(["aqua"], "notes", { lastModified: 2 }),
  ]);
  queue.add([notes]);
  assert.deepEqual(queue.files.get().map((it) => it.file.lastModified), [1, 2]);
  queue.stop();
});

Deno.test("media are deleted with their files, after another attempt, and when they come too late", async () => {
  await withGateway(() => json({}), (asked) => {
    const files = new Set(["a", "b", "c"]);
    const media = scannedMedia((it) => files.has(it));
    const deleted = () => asked.splice(0).map((it) => `${it.method} ${it.url.split("/").at(-1)}`);
    media.add("a", "first");
    media.add("a", "second");
    assert.deepEqual(deleted(), ["DELETE first"]);
    files.delete("b");
    media.add("b", "late");
    assert.deepEqual(deleted(), ["DELETE late"]);
    media.remove("a");
    media.remove("b");
    assert.deepEqual(deleted(), ["DELETE second"]);
    media.add("c", "last");
    media.clear();
    media.remove("c");
    assert.deepEqual(deleted(), ["DELETE last"]);
    return Promise.resolve();
  });
});

Deno.test("a text that is put right stays when its drafts change, and drafts that were put back can be written to", () => {
  const draft = { id: "1", front: "aqua", back: "", page: 1, confidence: 90 };
  const drafts = state([draft]);
  const result = { pages: [{ page: 1, text: "aqua", confidence: 90 }], drafts: [draft] };
  const page = /** @type {any} */ (document).createElement("main");
  const unmount = mount(page, () =>
    scannedFile(
      /** @type {any} */ ({ id: "f", file: file("notes"), progress: state({ phase: "ready", result }) }),
      { set: "s", again: () => {}, remove: () => {}, take: () => Promise.resolve(), drafts },
    ));
  const [text, , back] = find(page, (it) => it.localName === "textarea");
  text.value = "aqua\nwater";
  // as after cards were taken
  drafts.set([{ ...draft }]);
  flush();
  assert.equal(find(page, (it) => it.localName === "textarea")[0], text);
  back.value = "water";
  back.dispatchEvent(new Event("input"));
  assert.equal(drafts.get()[0].back, "water");
  unmount();
});
