// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { json, settle, withGateway } from "./gateway.js";
import { pages } from "../../../Services/Web/Client/shared/api.js";
import { paged } from "../../../Services/Web/Client/shared/components/list.js";

const open = (/** @type {AbortSignal} */ signal) => pages("GET /v1/listings", {}, { signal });

/** @param {string} ids one letter each @param {string} [nextCursor] */
const page = (ids, nextCursor) => json({ items: [...ids].map((id) => ({ id })), nextCursor });

const failed = () => json({ code: "internal", title: "" }, 500);

/** @param {ReturnType<typeof paged<any>>} list */
const shown = (list) => list.items.get().map((it) => it.id).join("");

Deno.test("what is shown is loaded again, as far as it was, and goes on from there", async () => {
  const answers = [page("ab", "1"), page("cd", "2"), page("xa", "1"), page("bd", "2"), failed(), page("e")];
  await withGateway(() => /** @type {Response} */ (answers.shift()), async () => {
    const list = paged(open);
    await settle();
    await list.more();
    assert.equal(shown(list), "abcd");
    const done = list.refresh();
    assert.equal(shown(list), "abcd");
    await done;
    assert.equal(shown(list), "xabd");
    assert.deepEqual([list.phase.get(), list.hasMore.get()], ["ready", true]);
    await list.refresh();
    assert.equal(shown(list), "xabd");
    await list.more();
    assert.equal(shown(list), "xabde");
    assert.equal(list.hasMore.get(), false);
  });
});

Deno.test("an answer that is older than another is not shown, and a failure changes nothing", async () => {
  /** @type {((answer: Response) => void)[]} */
  const waiting = [];
  await withGateway(() => new Promise((resolve) => waiting.push(resolve)), async () => {
    const list = paged(open);
    await settle();
    waiting[0](page("a"));
    await settle();
    const refreshes = [list.refresh(), list.refresh()];
    await settle();
    waiting[2](page("cba"));
    await settle();
    waiting[1](page("ba"));
    await Promise.all(refreshes);
    assert.equal(shown(list), "cba");
    const failing = list.refresh();
    await settle();
    waiting[3](failed());
    await failing;
    assert.deepEqual([shown(list), list.phase.get()], ["cba", "ready"]);
  });
});
