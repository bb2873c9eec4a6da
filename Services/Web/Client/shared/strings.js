// @ts-check
/**
 * Texts of an app. `strings/en.js` has them all, `strings/de.js` the same in German; English is the type of both:
 *
 *   export const t = await loadStrings({ en: () => import("./strings/en.js"), de: () => import("./strings/de.js") });
 *   t("greeting", { name }); t("comments", { count: 3 });
 */
import { language, number, pluralForm } from "./language.js";

/**
 * A text, with `{names}` of parameters, or a text for each plural form of `count`.
 * @typedef {string | { zero?: string, one?: string, two?: string, few?: string, many?: string, other: string }} Text
 */
/** @typedef {Record<string, string | number>} Parameters */

/**
 * @template {Record<string, Text>} T
 * @param {{ en: () => Promise<{ default: T }>, de: () => Promise<{ default: Record<keyof T, Text> }> }} modules
 * @param {import("./language.js").Language} [chosen]
 * @returns {Promise<(key: keyof T, parameters?: Parameters) => string>}
 */
export async function loadStrings(modules, chosen = language) {
  const { default: texts } = await (chosen === "de" ? modules.de() : modules.en());
  const change = chosen === "en-XA" ? accented : chosen === "ar-XB" ? mirrored : (/** @type {string} */ text) => text;
  return (key, parameters = {}) => {
    const text = texts[key];
    if (text === undefined) throw new Error(`no text is named ${String(key)}`);
    const chosenForm = typeof text === "string" ? text : text[pluralForm(Number(parameters.count))] ?? text.other;
    return fill(change(chosenForm), parameters);
  };
}

/**
 * @param {string} text
 * @param {Parameters} parameters
 */
function fill(text, parameters) {
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`"${text}" needs ${name}`);
    return typeof value === "number" ? number(value) : value;
  });
}

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
