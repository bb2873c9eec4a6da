// @ts-check
import assert from "node:assert/strict";
import { age } from "../../../Services/Web/Client/roomi/age.js";
import { deckQueue } from "../../../Services/Web/Client/roomi/deck-queue.js";
import { dragResult } from "../../../Services/Web/Client/roomi/components/drag.js";

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

Deno.test("an age is in whole years", () => {
  assert.equal(age("2001-05-06", new Date(2026, 4, 5)), 24);
  assert.equal(age("2001-05-06", new Date(2026, 4, 6)), 25);
  assert.equal(age("2000-02-29", new Date(2026, 1, 28)), 25);
});
