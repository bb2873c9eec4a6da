// @ts-check
/** Grades written answers, as `Shared/StudyModel/Quizzes/AnswerGrading.swift` does. */
import {
  articleOf,
  ENGLISH_ARTICLES,
  letterCount,
  MAX_LETTERS,
  numbersOf,
  withoutArticle,
  wordsOf,
} from "./answer-text.js";

/** `almost`: right but for a typing error or the article. @typedef {"incorrect" | "almost" | "correct"} Grade */

const RANK = { incorrect: 0, almost: 1, correct: 2 };
const MAX_ALTERNATIVES = 32;

/** @param {Grade[]} grades */
const best = (grades) => grades.reduce((a, b) => RANK[b] > RANK[a] ? b : a, "incorrect");

/**
 * Case, accents, punctuation and an article in front do not matter; several answers are separated by `;`, `/` or lines.
 * @param {string} given
 * @param {string} expected
 * @returns {Grade}
 */
export function grade(given, expected) {
  const accepted = alternatives(expected);
  const against = (/** @type {string} */ it) => best(accepted.map((alternative) => compare(it, alternative)));
  const whole = against(given);
  const parts = split(given);
  if (whole === "correct" || parts.length < 2) return whole;
  const worst = parts.map(against).reduce((a, b) => RANK[b] < RANK[a] ? b : a);
  return best([whole, worst]);
}

/** The texts that are accepted: the whole, its parts, and both without what is in parentheses. @param {string} expected */
function alternatives(expected) {
  return [expected, ...split(expected)].flatMap((it) => {
    const shorter = withoutParentheses(it);
    return shorter === null ? [it] : [it, shorter];
  }).slice(0, MAX_ALTERNATIVES);
}

/** What makes two answers the same for a learner, apart from typing errors. @param {string} text */
export function answerKey(text) {
  const words = withoutArticle(wordsOf(text));
  return words.length > 0 ? words.join(" ") : text.trim();
}

/** The keys of all accepted answers. @param {string} answer @returns {Set<string>} */
export function answerKeys(answer) {
  return new Set(
    alternatives(answer).flatMap((it) => {
      const digraphs = withoutArticle(wordsOf(it, true));
      return digraphs.length > 0 ? [answerKey(it), digraphs.join(" ")] : [answerKey(it)];
    }),
  );
}

/**
 * @param {string} given
 * @param {string} expected
 * @returns {Grade}
 */
function compare(given, expected) {
  const [answer, right] = [wordsOf(given), wordsOf(expected)];
  const isLong = [given, expected].some((it) => [...it].length > MAX_LETTERS);
  if (right.length === 0 || answer.length === 0 || isLong) {
    return expected.trim() && expected.trim() === given.trim() ? "correct" : "incorrect";
  }
  if (answer.join(" ") === right.join(" ")) return "correct";
  const [bareAnswer, bareRight] = [withoutArticle(answer), withoutArticle(right)];
  const digraphs = withoutArticle(wordsOf(expected, true));
  const areNumbersEqual = numbersOf(bareAnswer) === numbersOf(bareRight);
  const isSplit = `${given}${expected}`.includes("-") && bareAnswer.join("") === bareRight.join("") && areNumbersEqual;
  const candidates = [bareRight, digraphs].map((it) => it.join(" "));
  if (candidates.includes(bareAnswer.join(" ")) || isSplit) {
    return areCompatible(articleOf(answer), articleOf(right)) ? "correct" : "almost";
  }
  const letters = letterCount(bareRight);
  const limit = letters <= 4 ? 0 : letters <= 8 ? 1 : 2;
  if (!areNumbersEqual || limit === 0) return "incorrect";
  return candidates.some((it) => distance([...bareAnswer.join(" ")], [...it]) <= limit) ? "almost" : "incorrect";
}

/** A missing article is no error, nor one English article for another. @param {string | null} one @param {string | null} other */
function areCompatible(one, other) {
  return one === null || other === null || one === other || (ENGLISH_ARTICLES.has(one) && ENGLISH_ARTICLES.has(other));
}

/** @param {string} text */
function split(text) {
  return text.split(/;|\uFF1B|\r\n|[\n-\r\u0085\u2028\u2029]/).flatMap((part) => {
    const parts = part.split("/").filter(Boolean);
    // not within fractions and units, such as km/h
    const areAnswers = parts.every((it) => [...it].filter((letter) => /\p{L}/u.test(letter)).length > 1);
    return areAnswers ? parts : [part];
  }).map((it) => it.trim()).filter(Boolean);
}

/** @param {string} text */
function withoutParentheses(text) {
  let [depth, rest] = [0, ""];
  for (const letter of text) {
    if (letter === "(") depth++;
    else if (letter === ")" && depth > 0) depth--;
    else if (depth === 0) rest += letter;
  }
  return depth === 0 && rest.length < text.length && wordsOf(rest).length > 0 ? rest : null;
}

/** Insertions, deletions, replacements and swaps of neighbors (Damerau–Levenshtein). @param {string[]} one @param {string[]} other */
function distance(one, other) {
  if (Math.abs(one.length - other.length) > 2) return Infinity;
  /** @type {number[]} */
  let twoBack = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = last[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, replaced);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) row[j] = Math.min(row[j], twoBack[j - 2] + 1);
    }
    [twoBack, last] = [last, row];
  }
  return last[other.length];
}
