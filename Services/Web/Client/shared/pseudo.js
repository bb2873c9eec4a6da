// @ts-check
/** Languages that no one speaks, which show what a page does wrong with others. */

const PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ACCENTED = [..."áƀçđéƒĝĥíĵķĺɱñóþɋŕšŧúṽŵẋýžÁƁÇĐÉƑĜĤÍĴĶĹṀÑÓÞɊŔŠŦÚṼŴẊÝŽ"];

/**
 * @param {string} text
 * @param {(plain: string) => string} change
 */
const outsideNames = (text, change) =>
  text.split(/(\{\w+\})/).map((it) => it.startsWith("{") ? it : change(it)).join("");

/** With accents and a third longer, in brackets: shows what is not translated, and what is cut off. @param {string} text */
export function accented(text) {
  const changed = outsideNames(text, (plain) => plain.replace(/[a-zA-Z]/g, (it) => ACCENTED[PLAIN.indexOf(it)]));
  return `[${changed}${" ~".repeat(Math.ceil(text.length / 6))}]`;
}

/** From right to left, by Unicode's overrides. @param {string} text */
export const mirrored = (text) => outsideNames(text, (plain) => plain ? `\u202E${plain}\u202C` : plain);
