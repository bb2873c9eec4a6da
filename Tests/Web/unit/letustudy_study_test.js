// @ts-check
/** Schedules, quizzes and days against the vectors that `Tests/StudyModelTests/StudyVectorTests.swift` reads as well. */
import assert from "node:assert/strict";
import { dayTimes, streak, studyDay } from "../../../Services/Web/Client/letustudy/study/days.js";
import { grade } from "../../../Services/Web/Client/letustudy/study/grading.js";
import { gradeQuestion, makeQuiz } from "../../../Services/Web/Client/letustudy/study/quiz.js";
import { newMemory, scheduler } from "../../../Services/Web/Client/letustudy/study/scheduler.js";

const vectors = JSON.parse(await Deno.readTextFile(new URL("../../Fixtures/Vectors/study.json", import.meta.url)));
const STAGES = ["new", "learning", "review", "relearning"];

/** @param {number} a @param {number} b */
const isClose = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

Deno.test("cards are scheduled as on the server", () => {
  for (const { card, weights, retention, learning, relearning, maximum, fuzz, reviews } of vectors.schedules) {
    const by = scheduler({
      weights,
      desiredRetention: retention,
      learningSteps: learning,
      relearningSteps: relearning,
      maximumInterval: maximum,
      fuzz,
    });
    let memory = newMemory(card);
    const log = [];
    for (const [at, rating, state, step, stability, difficulty, due, lapses, probe, recall] of reviews) {
      memory = by.review(memory, rating, at);
      log.push({ id: String(log.length), at, rating });
      assert.deepEqual([memory.stage, memory.step ?? -1, memory.due, memory.lapses], [
        STAGES[state],
        step,
        due,
        lapses,
      ]);
      assert.ok(isClose(memory.stability, stability) && isClose(memory.difficulty, difficulty), `${card} at ${at}`);
      assert.ok(isClose(by.retrievability(memory, probe), recall));
    }
    assert.deepEqual(by.replay(log.toReversed(), card), memory);
  }
});

Deno.test("written answers are graded as on the server", () => {
  for (const [given, expected, result] of vectors.grades) {
    assert.equal(grade(given, expected), result, `${given} for ${expected}`);
  }
});

Deno.test("a quiz has the questions that the server makes of the same cards", () => {
  for (const { kinds, direction, seed, cards, questions } of vectors.quizzes) {
    const all = cards.map((/** @type {string[]} */ [id, front, back]) => ({ id, front, back }));
    assert.deepEqual(makeQuiz(6, all, { kinds, direction, seed: BigInt(seed) }), questions);
  }
});

Deno.test("a question without an answer is not right", () => {
  const question = { card: "1", prompt: "2 + 2", answer: "4" };
  assert.equal(gradeQuestion({ ...question, kind: "choice", options: ["4", "5"], right: 0 }, undefined), "incorrect");
  assert.equal(gradeQuestion({ ...question, kind: "choice", options: ["4", "5"], right: 0 }, 0), "correct");
  assert.equal(gradeQuestion({ ...question, kind: "trueFalse", shown: "5", isTrue: false }, false), "correct");
  assert.equal(gradeQuestion({ ...question, kind: "written" }, "4"), "correct");
});

Deno.test("days and streaks are those of the server, also on travels", () => {
  for (const { sessions, now, utcOffsetMinutes, current, longest, includesToday } of vectors.calendars) {
    const entries = sessions.map((/** @type {number[]} */ [at, offset]) => ({ at, offset, day: studyDay(at, offset) }));
    assert.deepEqual(entries.map((/** @type {any} */ it) => it.day), sessions.map((/** @type {any} */ it) => it[2]));
    assert.deepEqual(streak(dayTimes(entries), now, utcOffsetMinutes), { current, longest, includesToday });
  }
});
