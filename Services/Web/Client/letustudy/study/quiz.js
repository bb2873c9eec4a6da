// @ts-check
/** Makes the questions of a quiz from cards, the same as `Shared/StudyModel/Quizzes/QuizGenerator.swift` for a seed. */
import { answerKey, answerKeys, grade } from "./grading.js";
import { seededRandom } from "./random.js";

/** @typedef {"written" | "choice" | "trueFalse"} Kind */
/** @typedef {{ id: string, front: string, back: string }} QuizCard */
/**
 * - `options`, `right`: of a choice
 * - `shown`, `isTrue`: of a statement that is judged
 * @typedef {{ card: string, prompt: string, answer: string, kind: Kind, options?: string[], right?: number, shown?: string,
 *   isTrue?: boolean }} Question
 */

/** @type {readonly Kind[]} */
const KINDS = ["written", "choice", "trueFalse"];
const MOST_OPTIONS = 4;
const FEWEST_OPTIONS = 3;
/** Wrong answers are taken from a sample of so many cards. */
const MAX_POOL = 2000;

/**
 * At most `count` questions, each on another card.
 * @param {number} count
 * @param {QuizCard[]} cards
 * @param {{ kinds: Kind[], direction: "frontToBack" | "backToFront", seed: bigint }} options
 * @returns {Question[]}
 */
export function makeQuiz(count, cards, { kinds: wanted, direction, seed }) {
  const random = seededRandom(seed);
  const chosen = KINDS.filter((it) => wanted.includes(it));
  const kinds = chosen.length > 0 ? chosen : [KINDS[0]];
  const usable = new Map(cards.filter((it) => it.front.trim() && it.back.trim()).map((it) => [it.id, it]));
  const shuffled = random.shuffled([...usable.values()].sort((a, b) => a.id < b.id ? -1 : 1));
  const asked = Math.max(0, Math.min(count, shuffled.length));
  const pool = shuffled.slice(0, Math.max(asked, MAX_POOL)).map((card) => {
    const [prompt, answer] = direction === "frontToBack" ? [card.front, card.back] : [card.back, card.front];
    const texts = { prompt: prompt.trim(), answer: answer.trim() };
    return { card: card.id, ...texts, promptKey: answerKey(texts.prompt), answerKeys: answerKeys(texts.answer) };
  });

  /** Answers of other cards that are not right for the same prompt. @param {typeof pool[number]} entry @param {number} most */
  function wrongAnswers(entry, most) {
    let taken = entry.answerKeys;
    for (const other of pool) if (other.promptKey === entry.promptKey) taken = taken.union(other.answerKeys);
    /** @type {string[]} */
    const answers = [];
    let index = random.below(pool.length);
    const step = stride(pool.length);
    for (let round = 0; round < pool.length && answers.length < most; round++) {
      const other = pool[index];
      if (taken.isDisjointFrom(other.answerKeys)) {
        answers.push(other.answer);
        taken = taken.union(other.answerKeys);
      }
      index = (index + step) % pool.length;
    }
    return answers;
  }

  /** Visits every card once, in an order that differs between questions. @param {number} length */
  function stride(length) {
    let step = 1 + random.below(Math.max(length - 1, 1));
    while (commonDivisor(step, length) !== 1) step++;
    return step;
  }

  /** @param {typeof pool[number]} entry @returns {Pick<Question, "kind" | "options" | "right">} */
  function choice(entry) {
    const wrong = wrongAnswers(entry, MOST_OPTIONS - 1);
    if (wrong.length < FEWEST_OPTIONS - 1) {
      return kinds.includes("trueFalse") && !kinds.includes("written") ? trueFalse(entry) : { kind: "written" };
    }
    const right = random.below(wrong.length + 1);
    return { kind: "choice", options: wrong.toSpliced(right, 0, entry.answer), right };
  }

  /** @param {typeof pool[number]} entry @returns {Pick<Question, "kind" | "shown" | "isTrue">} */
  function trueFalse(entry) {
    const [wrong] = wrongAnswers(entry, 1);
    // without a wrong answer to show, the statement would always be true
    if (wrong === undefined) return { kind: "written" };
    const isTrue = random.below(2) === 0;
    return { kind: "trueFalse", shown: isTrue ? entry.answer : wrong, isTrue };
  }

  return pool.slice(0, asked).map((entry, index) => {
    const kind = kinds[index % kinds.length];
    const content = kind === "choice" ? choice(entry) : kind === "trueFalse" ? trueFalse(entry) : { kind };
    return { card: entry.card, prompt: entry.prompt, answer: entry.answer, ...content };
  });
}

/** @param {number} one @param {number} other @returns {number} */
const commonDivisor = (one, other) => other === 0 ? one : commonDivisor(other, one % other);

/** A text, the index of an option, or a judgement. @typedef {string | number | boolean | undefined} Given */

/**
 * @param {Question} question
 * @param {Given} given
 */
export function gradeQuestion(question, given) {
  if (question.kind === "written") return typeof given === "string" ? grade(given, question.answer) : "incorrect";
  return given === (question.kind === "choice" ? question.right : question.isTrue) ? "correct" : "incorrect";
}
