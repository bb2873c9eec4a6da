// @ts-check
import "./locale.js";
import "./document.js";
import assert from "node:assert/strict";
import { merge } from "../../../Services/Web/Client/keepfit/feed.js";
import { toggled } from "../../../Services/Web/Client/keepfit/components/reactions.js";
import { lastDays } from "../../../Services/Web/Client/keepfit/workout-days.js";
import { splitTags } from "../../../Services/Web/Client/keepfit/components/video-details.js";
import { activeMilliseconds, duration } from "../../../Services/Web/Client/keepfit/workouts.js";

const startedAt = "2026-11-23T10:00:00Z";
const at = (/** @type {string} */ time) => Date.parse(`2026-11-23T${time}Z`);

Deno.test("a workout lasts without its pauses", () => {
  const ended = { from: "2026-11-23T10:10:00Z", to: "2026-11-23T10:15:00Z" };
  assert.equal(activeMilliseconds({ startedAt, pauses: [] }, at("10:20:00")), 20 * 60_000);
  assert.equal(activeMilliseconds({ startedAt, pauses: [ended] }, at("10:20:00")), 15 * 60_000);
  // it stands still in a pause that has no end yet
  const open = { from: "2026-11-23T10:18:00Z" };
  assert.equal(activeMilliseconds({ startedAt, pauses: [ended, open] }, at("10:20:00")), 13 * 60_000);
  assert.equal(activeMilliseconds({ startedAt, pauses: [ended, open] }, at("11:20:00")), 13 * 60_000);
  const finishedAt = "2026-11-23T10:30:00Z";
  assert.equal(activeMilliseconds({ startedAt, finishedAt, pauses: [ended] }, at("12:00:00")), 25 * 60_000);
});

Deno.test("the time of a workout is never negative", () => {
  // the browser's idea of the platform's clock may be behind
  assert.equal(activeMilliseconds({ startedAt, pauses: [] }, at("09:59:59")), 0);
});

Deno.test("durations are short texts", () => {
  assert.equal(duration(42.7), "42 sec");
  assert.equal(duration(45 * 60), "45 min");
  assert.equal(duration(65 * 60), "1:05 h");
});

Deno.test("the feed is newest first, and has nothing twice", () => {
  const post = (/** @type {string} */ id, /** @type {string} */ at) => ({ id, at });
  const merged = merge([
    [post("a", "2026-11-23T10:00:00Z"), post("b", "2026-11-23T08:00:00Z")],
    [post("c", "2026-11-23T09:00:00.500Z"), post("a", "2026-11-23T10:00:00Z")],
  ]);
  assert.deepEqual(merged.map((it) => it.id), ["a", "c", "b"]);
});

Deno.test("a reaction is given and taken back", () => {
  const others = [{ emoji: "🔥", count: 2, isMine: false }];
  const given = toggled(others, "🔥");
  assert.deepEqual(given, [{ emoji: "🔥", count: 3, isMine: true }]);
  assert.deepEqual(toggled(given, "🔥"), others);
  assert.deepEqual(toggled(toggled([], "👍"), "👍"), []);
});

Deno.test("days without a workout are in a chart, too", () => {
  const sum = { count: 1, activeSeconds: 60, kilocalories: 5 };
  const days = lastDays(3, [{ day: "2026-03-01", sum }], new Date(2026, 2, 2, 12));
  assert.deepEqual(days.map((it) => it.day), ["2026-02-28", "2026-03-01", "2026-03-02"]);
  assert.deepEqual(days.map((it) => it.sum.count), [0, 1, 0]);
});

Deno.test("tags are separated by commas, with or without #", () => {
  assert.deepEqual(splitTags(" Legs, #home,legs ,, "), ["legs", "home"]);
  assert.deepEqual(splitTags(undefined), []);
});
