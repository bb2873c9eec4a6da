// @ts-check
import assert from "node:assert/strict";
import { deliveryOf, lastSequence, merge, placeOf } from "../../../Services/Web/Client/shared/chat/conversation.js";

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
  assert.deepEqual(placeOf(first, undefined), { beginsDay: true, beginsGroup: true });
  assert.deepEqual(placeOf(message({ sentAt: "2026-11-20T10:04:00Z" }), first), {
    beginsDay: false,
    beginsGroup: false,
  });
  assert.equal(placeOf(message({ sentAt: "2026-11-20T10:06:00Z" }), first).beginsGroup, true);
  assert.equal(placeOf(message({ authorID: "ben" }), first).beginsGroup, true);
  assert.equal(placeOf(message({ sentAt: "2026-11-22T10:00:00Z" }), first).beginsDay, true);
});
