// @ts-check
/** Merges two edits of a text, word by word, with the same result as `Shared/SyncMerge/TextMerge.swift`. */

/** The most words that are compared between the common beginning and end; beyond that, all between is one edit. */
const MAX_EDITS = 256;
/** In bytes; longer texts are not merged. */
const MAX_LENGTH = 400_000;

/** Tokens of the base, and what takes their place: from and to, the ends excluded. @typedef {{ base: [number, number], text: [number, number] }} Hunk */

/**
 * The same for both orders of the edits; `null` when they overlap or touch and differ.
 * @param {string} base
 * @param {string} one
 * @param {string} other
 * @returns {string | null}
 */
export function mergeTexts(base, one, other) {
  const encoder = new TextEncoder();
  if ([base, one, other].some((it) => it.length > MAX_LENGTH || encoder.encode(it).length > MAX_LENGTH)) return null;
  const [from, left, right] = [base, one, other].map(tokens);
  const edits = { left: hunks(from, left), right: hunks(from, right) };
  let [merged, position, first, second] = ["", 0, 0, 0];
  while (first < edits.left.length || second < edits.right.length) {
    const [a, b] = [edits.left[first], edits.right[second]];
    let isLeft = Boolean(a);
    if (a && b) {
      const isSame = a.base[0] === b.base[0] && a.base[1] === b.base[1] && part(left, a.text) === part(right, b.text);
      if (isSame) second++;
      else if (a.base[1] < b.base[0]) isLeft = true;
      else if (b.base[1] < a.base[0]) isLeft = false;
      else return null;
    }
    const hunk = isLeft ? a : b;
    merged += part(from, [position, hunk.base[0]]) + part(isLeft ? left : right, hunk.text);
    position = hunk.base[1];
    if (isLeft) first++;
    else second++;
  }
  return merged + part(from, [position, from.length]);
}

/**
 * @param {string[]} all
 * @param {[number, number]} range
 */
const part = (all, [start, end]) => all.slice(start, end).join("");

/** Words, runs of white space, and everything else one by one. @param {string} text */
export function tokens(text) {
  /** @type {string[]} */
  const result = [];
  let previous = "";
  for (const character of text) {
    const kind = kindOf(/** @type {number} */ (character.codePointAt(0)));
    if (result.length === 0 || kind === "single" || kind !== previous) result.push(character);
    else result[result.length - 1] += character;
    previous = kind;
  }
  return result;
}

/** By code points alone, so that no version of Unicode matters. @param {number} code */
function kindOf(code) {
  const isIn = (/** @type {[number, number][]} */ ranges) => ranges.some(([low, high]) => code >= low && code <= high);
  if (isIn(SPACES)) return "space";
  if (code < 128) return isIn(LETTERS) ? "word" : "single";
  return isIn(SINGLES) ? "single" : "word";
}

/** @type {[number, number][]} */
const SPACES = [[9, 13], [32, 32], [0x85, 0x85], [0xa0, 0xa0], [0x2000, 0x200a], [0x2028, 0x2029], [0x202f, 0x202f], [
  0x3000,
  0x3000,
]];
/** @type {[number, number][]} */
const LETTERS = [[48, 57], [65, 90], [97, 122]];
/** Punctuation, and scripts that are written without spaces. @type {[number, number][]} */
const SINGLES = [
  [0xa1, 0xa9],
  [0xab, 0xb4],
  [0xb6, 0xb9],
  [0xbb, 0xbf],
  [0x0e00, 0x0eff],
  [0x1000, 0x109f],
  [0x1780, 0x17ff],
  [0x2010, 0x2027],
  [0x2030, 0x205e],
  [0x2e00, 0x9fff],
  [0xf900, 0xfaff],
  [0xff00, 0xff0f],
  [0x20000, 0x3ffff],
];

/**
 * What turns one text into another; unchanged tokens lie between any two hunks. Source: Myers, "An O(ND) Difference
 * Algorithm and Its Variations" (1986).
 * @param {string[]} base
 * @param {string[]} text
 * @returns {Hunk[]}
 */
export function hunks(base, text) {
  const shorter = Math.min(base.length, text.length);
  let [start, end] = [0, 0];
  while (start < shorter && base[start] === text[start]) start++;
  while (end < shorter - start && base[base.length - 1 - end] === text[text.length - 1 - end]) end++;
  /** @type {Hunk} */
  const whole = { base: [start, base.length - end], text: [start, text.length - end] };
  const [rows, columns] = [whole.base[1] - start, whole.text[1] - start];
  if (rows === 0 && columns === 0) return [];
  if (rows === 0 || columns === 0) return [whole];
  const path = shortestPath(base.slice(...whole.base), text.slice(...whole.text));
  return path ? join(path, start) : [whole];
}

/** An edit: the row of the base, and whether a token is inserted before it or it is removed. @typedef {{ row: number, isInsert: boolean }} Edit */

/**
 * @param {string[]} base
 * @param {string[]} text
 * @returns {Edit[] | null} in order; `null` when there are too many
 */
function shortestPath(base, text) {
  const limit = Math.min(base.length + text.length, MAX_EDITS);
  const middle = limit + 1;
  // the furthest row of each diagonal, which is the row minus the column
  const furthest = new Array(2 * limit + 3).fill(0);
  /** @type {number[][]} */
  const history = [];
  for (let distance = 0; distance <= limit; distance++) {
    history.push(furthest.slice(middle - distance, middle + distance + 1));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const isInsert = comesFromInsert(diagonal, distance, (at) => furthest[middle + at]);
      let row = isInsert ? furthest[middle + diagonal + 1] : furthest[middle + diagonal - 1] + 1;
      let column = row - diagonal;
      while (row < base.length && column < text.length && base[row] === text[column]) {
        [row, column] = [row + 1, column + 1];
      }
      furthest[middle + diagonal] = row;
      if (row >= base.length && column >= text.length) return path(history, base.length, text.length);
    }
  }
  return null;
}

/**
 * @param {number} diagonal
 * @param {number} distance
 * @param {(diagonal: number) => number} furthest
 */
const comesFromInsert = (diagonal, distance, furthest) =>
  diagonal === -distance || (diagonal !== distance && furthest(diagonal - 1) < furthest(diagonal + 1));

/**
 * Follows the path back to its beginning.
 * @param {number[][]} history
 * @param {number} row
 * @param {number} column
 */
function path(history, row, column) {
  /** @type {Edit[]} */
  const edits = [];
  for (let distance = history.length - 1; distance > 0; distance--) {
    const furthest = (/** @type {number} */ at) => history[distance][distance + at];
    const diagonal = row - column;
    const isInsert = comesFromInsert(diagonal, distance, furthest);
    const previous = isInsert ? diagonal + 1 : diagonal - 1;
    row = furthest(previous);
    column = row - previous;
    edits.push({ row, isInsert });
  }
  return edits.reverse();
}

/**
 * Joins edits without unchanged tokens between them.
 * @param {Edit[]} edits
 * @param {number} start of what differs
 */
function join(edits, start) {
  /** @type {Hunk[]} */
  const result = [];
  let [base, text] = [start, start];
  for (const { row, isInsert } of edits) {
    [base, text] = [start + row, text + start + row - base];
    const last = result.at(-1);
    const isNext = last && last.base[1] === base && last.text[1] === text;
    /** @type {Hunk} */
    const hunk = isNext ? last : { base: [base, base], text: [text, text] };
    if (!isNext) result.push(hunk);
    if (isInsert) hunk.text[1] = ++text;
    else hunk.base[1] = ++base;
  }
  return result;
}
