// @ts-check
import assert from "node:assert/strict";
import { age } from "../../../Services/Web/Client/roomi/age.js";
import { deliveryOf, lastSequence, merge, placeOf } from "../../../Services/Web/Client/roomi/conversation.js";
import { deckQueue } from "../../../Services/Web/Client/roomi/deck-queue.js";
import { dragResult } from "../../../Services/Web/Client/roomi/parts/drag.js";

/** @param {string} names one letter each @returns {any[]} */
const cards = (names) => [...names].map((userID) => ({ userID }));

/** @param {{ cards: { get: () => { userID: string }[] } }} queue */
const shown = (queue) => queue.cards.get().map((it) => it.userID).join("");

/**
 * A deck of the platform; `swiped` has what was decided.
 * @param {string} names
 */
function platform(names) {
  const swiped = /** @type {string[]} */ ([]);
  const fake = {
    swiped,
    fails: false,
    queue: deckQueue({
      load: () => Promise.resolve(cards([...names].filter((it) => !swiped.some((one) => one.includes(it))).join(""))),
      swipe: async (userID, decision) => {
        await Promise.resolve();
        if (fake.fails) throw new Error("away");
        swiped.push(`${decision} ${userID}`);
        return { userID, decision, isMatch: false };
      },
      undo: () => Promise.resolve({ userID: swiped.pop()?.at(-1) ?? "" }),
    }),
  };
  return fake;
}

Deno.test("a decision is sent while the next card is shown, in order", async () => {
  const { queue, swiped } = platform("ABCDEF");
  await queue.load();
  assert.equal(shown(queue), "ABCDEF");
  const sent = [queue.decide("like"), queue.decide("dislike"), queue.decide("like")];
  assert.equal(shown(queue), "DEF");
  await Promise.all(sent);
  assert.deepEqual(swiped, ["like A", "dislike B", "like C"]);
  assert.deepEqual(queue.passed.get(), cards("B"));
});

Deno.test("an answer of the deck that is older than a decision does not show a card again", async () => {
  const { queue } = platform("ABC");
  await queue.load();
  const sent = queue.decide("like");
  await queue.reload();
  assert.equal(shown(queue), "BC");
  await sent;
});

Deno.test("a card whose decision could not be sent is on top again", async () => {
  const fake = platform("ABCDEF");
  await fake.queue.load();
  fake.fails = true;
  await assert.rejects(fake.queue.decide("like"));
  assert.equal(shown(fake.queue), "ABCDEF");
  fake.fails = false;
  await fake.queue.decide("like");
  assert.deepEqual(fake.swiped, ["like A"]);
});

Deno.test("who was passed on comes back on top, and someone dropped does not", async () => {
  const { queue } = platform("ABCDEF");
  await queue.load();
  await queue.decide("dislike");
  await queue.undo();
  assert.equal(shown(queue), "ABCDEF");
  queue.drop("A");
  await queue.reload();
  assert.equal(shown(queue), "BCDEF");
});

Deno.test("a drag decides when it is far or fast", () => {
  assert.equal(dragResult({ distance: 130, width: 360, milliseconds: 900 }), 1);
  assert.equal(dragResult({ distance: -130, width: 360, milliseconds: 900 }), -1);
  assert.equal(dragResult({ distance: 60, width: 360, milliseconds: 60 }), 1);
  assert.equal(dragResult({ distance: 60, width: 360, milliseconds: 600 }), 0);
  assert.equal(dragResult({ distance: -20, width: 360, milliseconds: 10 }), 0);
});

/** @param {Partial<import("../../../Services/Web/Client/roomi/conversation.js").ShownMessage>} more @returns {any} */
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

Deno.test("an age is in whole years", () => {
  assert.equal(age("2001-05-06", new Date(2026, 4, 5)), 24);
  assert.equal(age("2001-05-06", new Date(2026, 4, 6)), 25);
  assert.equal(age("2000-02-29", new Date(2026, 1, 28)), 25);
});
