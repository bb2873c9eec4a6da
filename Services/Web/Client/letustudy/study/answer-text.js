// @ts-check
/** A text as answers are compared (`Shared/StudyModel/Quizzes/AnswerText.swift`): small letters, no accents, words. */
import { baseOf, isAccent } from "./letters.js";

/** Longer texts are cut; no learner types them. */
export const MAX_LETTERS = 4096;

export const ENGLISH_ARTICLES = new Set(["a", "an", "the"]);
/** English, German, French, Spanish, Italian, Portuguese, Dutch. */
const ARTICLES = new Set([
  ...ENGLISH_ARTICLES,
  ...("der die das den dem des ein eine einen einem einer eines le la les l un une el los las una unos unas il lo gli " +
    "i uno o os um uma de het een").split(" "),
]);

const SEPARATOR = /[\p{Pc}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{Zs}\p{Zl}\p{Zp}\p{Cc}\p{Cf}]/u;
const APOSTROPHES = "'\u2019\u02BC\u2018\u0060\u00B4";
const HYPHENS = "-\u2212\u2010\u2011\u2013";
const DIGRAPHS = /** @type {Record<string, string>} */ ({ "ä": "ae", "ö": "oe", "ü": "ue" });

/** @param {string | undefined} letter */
const isDigit = (letter) => letter !== undefined && /\p{Nd}/u.test(letter);
/** @param {string | undefined} letter */
const isWord = (letter) => letter !== undefined && /[\p{Nd}\p{Alphabetic}]/u.test(letter);

/** @typedef {string[]} Words */

/**
 * @param {string} text
 * @param {boolean} [umlautsAsDigraphs] whether ä is written ae
 * @returns {Words}
 */
export function wordsOf(text, umlautsAsDigraphs = false) {
  const letters = [...text].slice(0, MAX_LETTERS);
  let [folded, previous] = ["", ""];
  for (const [index, original] of letters.entries()) {
    if (umlautsAsDigraphs && original === "\u0308" && /^[aou]$/.test(previous)) {
      folded += "e";
      continue;
    }
    if (isAccent(original, previous)) continue;
    for (const letter of halfWidth(original).toLowerCase()) {
      if (isAccent(letter, previous)) continue;
      folded += fold(letter, letters[index + 1], letters[index - 1], folded, umlautsAsDigraphs);
      previous = letter;
    }
  }
  return folded.split(" ").filter(Boolean).map(withoutGroups);
}

/**
 * @param {string} letter
 * @param {string | undefined} next
 * @param {string | undefined} last
 * @param {string} before
 * @param {boolean} umlautsAsDigraphs
 */
function fold(letter, next, last, before, umlautsAsDigraphs) {
  if (umlautsAsDigraphs && DIGRAPHS[letter]) return DIGRAPHS[letter];
  const base = baseOf(letter);
  if (base) return base;
  // elided articles are words; elsewhere apostrophes are often left out
  if (APOSTROPHES.includes(letter)) return /(^| )(l|un)$/.test(before) ? " " : "";
  if (HYPHENS.includes(letter)) return isDigit(next) && !isWord(last) ? "-" : " ";
  if (letter === "." || letter === ",") return isDigit(next) && isDigit(last) ? letter : " ";
  if ("%#&@*§".includes(letter)) return letter;
  return SEPARATOR.test(letter) ? " " : letter;
}

/** ASCII for the full-width forms of East Asian keyboards. @param {string} letter */
function halfWidth(letter) {
  const code = /** @type {number} */ (letter.codePointAt(0));
  return code >= 0xff01 && code <= 0xff5e ? String.fromCodePoint(code - 0xfee0) : letter;
}

/** 1,000,000 is one number; another comma between digits is a decimal separator. @param {string} word */
function withoutGroups(word) {
  if (!word.includes(",")) return word;
  const parts = word.split(",");
  const areGroups = parts.slice(1).every((it) => /^\p{N}*/u.exec(it)?.[0].length === 3);
  return parts.join(areGroups ? "" : ".");
}

/** The article in front, if words follow it. @param {Words} words */
export const articleOf = (words) => words.length > 1 && ARTICLES.has(words[0]) ? words[0] : null;

/** @param {Words} words */
export const withoutArticle = (words) => articleOf(words) === null ? words : words.slice(1);

/** @param {Words} words */
export const letterCount = (words) => [...words.join("")].filter((it) => /\p{L}/u.test(it)).length;

/** The runs of digits, with signs and separators. @param {Words} words */
export function numbersOf(words) {
  return words.flatMap((word) => word.match(/-?[\p{N}][\p{N}.]*/gu) ?? []).join(" ");
}
