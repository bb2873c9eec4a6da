// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { eventStream, json, settle, withGateway } from "./gateway.js";
import { conversations } from "../../../Services/Web/Client/shared/chat/conversation-list.js";
import { deliveryOf, groupingOf, lastSequence, merge } from "../../../Services/Web/Client/shared/chat/conversation.js";
import { chatRoom } from "../../../Services/Web/Client/shared/chat/room.js";
import { user } from "../../../Services/Web/Client/shared/session.js";
import { flush, mount } from "../../../Services/Web/Client/shared/view.js";

/** @import { ShownMessage } from "../../../Services/Web/Client/shared/chat/conversation.js" */

/** @param {Partial<ShownMessage>} more @returns {any} */
const message = (more) => ({ id: "m", sentAt: "2026-11-20T10:00:00Z", authorID: "ada", ...more });

Deno.test("messages are in their order, those on their way last, and the answer replaces the latter", () => {
  const known = merge([message({ id: "two", sequence: 2 })], [
    message({ id: "mine" }),
    message({ id: "one", sequence: 1 }),
  ]);
  assert.deepEqual(known.map((it) => it.id), ["one", "two", "mine"]);
  const sent = merge(known, [message({ id: "MINE", sequence: 3 })]);
  assert.deepEqual(sent.map((it) => it.sequence), [1, 2, 3]);
  assert.equal(lastSequence(sent), 3);
  assert.equal(lastSequence([]), 0);
});

Deno.test("the state of a message follows how far the other side is", () => {
  const other = { deliveredUpTo: 4, readUpTo: 3 };
  assert.deepEqual(
    [{ sequence: 3 }, { sequence: 4 }, { sequence: 5 }, {}, { isFailed: true }].map((it) =>
      deliveryOf(message(it), other)
    ),
    ["read", "delivered", "sent", "sending", "failed"],
  );
});

Deno.test("a message begins a day, or a group of one author within five minutes", () => {
  const first = message({});
  assert.deepEqual(groupingOf(first, undefined), { beginsDay: true, beginsGroup: true });
  assert.deepEqual(groupingOf(message({ sentAt: "2026-11-20T10:04:00Z" }), first), {
    beginsDay: false,
    beginsGroup: false,
  });
  assert.equal(groupingOf(message({ sentAt: "2026-11-20T10:06:00Z" }), first).beginsGroup, true);
  assert.equal(groupingOf(message({ authorID: "ben" }), first).beginsGroup, true);
  assert.equal(groupingOf(message({ sentAt: "2026-11-22T10:00:00Z" }), first).beginsDay, true);
});

/**
 * A part of a page that `ada` sees while events arrive.
 * @template T
 * @param {(asked: import("./gateway.js").Asked) => Response | Promise<Response>} answer
 * @param {() => T} build
 * @param {(part: T, emit: (name: string, data: any) => Promise<void>, asked: import("./gateway.js").Asked[]) => Promise<void>} test
 */
async function withEvents(answer, build, test) {
  const events = eventStream();
  /** @param {import("./gateway.js").Asked} it */
  const all = (it) =>
    it.url.includes("/v1/events?") || it.url.endsWith("/v1/events")
      ? events.answer()
      : it.url.includes("/v1/events/")
      ? json({ stream: "s", topics: [], refused: [] })
      : answer(it);
  user.set(/** @type {any} */ ({ id: "ada" }));
  flush();
  await withGateway(all, async (asked) => {
    let part = /** @type {T | undefined} */ (undefined);
    const unmount = mount(/** @type {any} */ (document).createElement("main"), () => void (part = build()));
    await settle();
    await test(/** @type {T} */ (part), async (name, data) => {
      events.emit(name, data);
      await settle();
    }, asked);
    unmount();
    user.set(null);
    flush();
  });
}

Deno.test("a message of the other side is shown and read, also when one's own after it is known before", async () => {
  const sent = [message({ id: "ben-10", sequence: 10, authorID: "ben", text: "Hi" })];
  /** @param {import("./gateway.js").Asked} asked */
  const answer = ({ method, url, body }) => {
    if (method === "PUT" && url.endsWith("/read")) return new Response(null, { status: 204 });
    if (method === "PUT") {
      const mine = message({ id: url.split("/").at(-1), sequence: 11, ...JSON.parse(body) });
      sent.push(mine);
      return json(mine);
    }
    const after = Number(new URL(url, "http://x").searchParams.get("after"));
    return json({ items: url.includes("/messages") ? sent.filter((it) => it.sequence > after) : [] });
  };
  const conversation = /** @type {any} */ ({ id: "c", participants: [], folder: "inbox", isClosed: false });
  const messages = [message({ id: "ben-9", sequence: 9, authorID: "ben" })];
  const room = () => chatRoom({ conversation, messages, hasEarlier: false, onmessage: () => {} });
  await withEvents(answer, room, async (it, emit, asked) => {
    await it.send({ text: "Hello" });
    assert.deepEqual(it.messages.get().map((one) => one.sequence), [9, 11]);
    const read = () => asked.filter((one) => one.url.endsWith("/read")).map((one) => JSON.parse(one.body).upTo);
    document.dispatchEvent(new Event("visibilitychange"));
    assert.deepEqual(read(), [9, 9]);
    await emit("message.sent", { conversation: "c" });
    assert.deepEqual(it.messages.get().map((one) => one.sequence), [9, 10, 11]);
    assert.deepEqual(read(), [9, 9, 11]);
  });
});

Deno.test("a picture that could not be sent is sent again as the same message", async () => {
  /** @param {import("./gateway.js").Asked} asked */
  const answer = ({ method, url, body }) => {
    if (method !== "PUT") return json({ items: [] });
    const { media } = JSON.parse(body);
    return isRefused
      ? json({ code: "invalid-request" }, 422)
      : json(message({ id: url.split("/").at(-1), sequence: 1, media }));
  };
  let isRefused = true;
  const conversation = /** @type {any} */ ({ id: "c", participants: [], folder: "inbox", isClosed: false });
  const room = () => chatRoom({ conversation, messages: [], hasEarlier: false, onmessage: () => {} });
  await withEvents(answer, room, async (it, _, asked) => {
    await assert.rejects(it.send({ media: ["picture"] }));
    const [failed] = it.messages.get();
    assert.equal(deliveryOf(failed, {}), "failed");
    isRefused = false;
    await it.send(failed);
    assert.deepEqual(it.messages.get().map(({ id, sequence, media }) => [id, sequence, media]), [[failed.id, 1, [
      "picture",
    ]]]);
    assert.equal(new Set(asked.filter((one) => one.method === "PUT").map((one) => one.body)).size, 1);
  });
});

Deno.test("a request that was accepted elsewhere is no longer among the requests", async () => {
  const answers = [[{ id: "one" }, { id: "two" }], [{ id: "two" }]];
  await withEvents(() => json({ items: answers.shift() }), () => conversations("requests"), async (feed, emit) => {
    assert.deepEqual(feed.items.get().map((it) => it.id), ["one", "two"]);
    await emit("conversation.changed", { conversation: "one" });
    assert.deepEqual(feed.items.get().map((it) => it.id), ["two"]);
  });
});
