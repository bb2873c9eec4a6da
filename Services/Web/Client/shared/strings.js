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
 * The text of a key; `find` is for keys that may have none.
 * @template K
 * @typedef {((key: K, parameters?: Parameters) => string) & { find: (key: string) => string | undefined }} Texts
 */

/**
 * @template {Record<string, Text>} T
 * @param {{ en: () => Promise<{ default: T }>, de: () => Promise<{ default: Record<keyof T, Text> }> }} modules
 * @param {import("./language.js").Language} [chosen]
 * @returns {Promise<Texts<keyof T>>}
 */
export async function loadStrings(modules, chosen = language) {
  const { default: texts } = await (chosen === "de" ? modules.de() : modules.en());
  const change = await changeOf(chosen);
  /** @type {(key: keyof T, parameters?: Parameters) => string} */
  const t = (key, parameters = {}) => {
    const text = texts[key];
    if (text === undefined) throw new Error(`no text is named ${String(key)}`);
    const chosenForm = typeof text === "string" ? text : text[pluralForm(Number(parameters.count))] ?? text.other;
    return fill(change(chosenForm), parameters);
  };
  return Object.assign(t, { find: (/** @type {string} */ key) => Object.hasOwn(texts, key) ? t(key) : undefined });
}

/**
 * What becomes of each text in this language; the languages of tests are made of English.
 * @param {import("./language.js").Language} chosen
 * @returns {Promise<(text: string) => string>}
 */
async function changeOf(chosen) {
  if (chosen !== "en-XA" && chosen !== "ar-XB") return (text) => text;
  const { accented, mirrored } = await import("./pseudo.js");
  return chosen === "en-XA" ? accented : mirrored;
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
