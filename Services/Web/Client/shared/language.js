// @ts-check
/** The language of the page, and how it writes numbers, money, dates and times. */

/**
 * `en-XA` and `ar-XB` are made from English for tests: with accents and longer, and from right to left.
 * @typedef {"en" | "de" | "en-XA" | "ar-XB"} Language
 */
/** @type {readonly Language[]} */
const LANGUAGES = ["en", "de", "en-XA", "ar-XB"];
const KEY = "quintet.language";

/** @returns {Language} */
function choose() {
  const asked = new URLSearchParams(globalThis.location?.search ?? "").get("language") ??
    globalThis.localStorage?.getItem(KEY);
  const known = LANGUAGES.find((it) => it === asked);
  if (known) return known;
  const preferred = navigator.languages.map((it) => it.slice(0, 2)).find((it) => it === "en" || it === "de");
  return preferred === "de" ? "de" : "en";
}

export const language = choose();

/** With the region of the browser, if it has one for the language: for `en-GB`, weeks begin on Monday. */
const locale = language.includes("-") ? "en" : navigator.languages.find((it) => it.startsWith(language)) ?? language;

export const direction = language === "ar-XB" ? "rtl" : "ltr";

if (globalThis.document) {
  document.documentElement.lang = language;
  document.documentElement.dir = direction;
}

/**
 * Chooses the language of all apps on this device; the page is loaded again.
 * @param {Language} chosen
 */
export function setLanguage(chosen) {
  localStorage.setItem(KEY, chosen);
  location.reload();
}

/** @type {Map<string, any>} */
const made = new Map();

/**
 * Formatters are slow to make, so each is made once.
 * @template T
 * @param {string} kind
 * @param {object} options
 * @param {() => T} make
 * @returns {T}
 */
function cached(kind, options, make) {
  const key = kind + JSON.stringify(options);
  if (!made.has(key)) made.set(key, make());
  return made.get(key);
}

/** @param {number} count */
export const pluralForm = (count) => cached("plural", {}, () => new Intl.PluralRules(locale)).select(count);

/**
 * @param {number} value
 * @param {Intl.NumberFormatOptions} [options]
 */
export const number = (value, options = {}) =>
  cached("number", options, () => new Intl.NumberFormat(locale, options)).format(value);

/** @param {number} part of 1 */
export const percent = (part) => number(part, { style: "percent" });

/** @param {string} currency */
const moneyFormat = (currency) => {
  const options = { style: /** @type {const} */ ("currency"), currency };
  return cached("number", options, () => new Intl.NumberFormat(locale, options));
};

/** How many minor units a unit has, in powers of ten: 2 for USD, 0 for JPY. @param {string} currency */
const digits = (currency) => moneyFormat(currency).resolvedOptions().maximumFractionDigits ?? 2;

/** @param {{ amount: number, currency: string }} money with the amount in minor units */
export const money = ({ amount, currency }) => moneyFormat(currency).format(amount / 10 ** digits(currency));

/**
 * What a user has typed, such as `1.234,50`; `null` if it is no amount.
 * @param {string} text
 * @param {string} currency
 */
export function parseMoney(text, currency) {
  const parts = cached("number", {}, () => new Intl.NumberFormat(locale)).formatToParts(1234.5);
  const decimal = parts.find((it) => it.type === "decimal")?.value ?? ".";
  const group = parts.find((it) => it.type === "group")?.value ?? ",";
  const plain = text.replaceAll(group, "").replace(/[\s\u00A0\u202F]/g, "").replace(decimal, ".");
  if (!/^\d+(\.\d*)?$/.test(plain) || (plain.split(".")[1] ?? "").length > digits(currency)) return null;
  return { amount: Math.round(Number(plain) * 10 ** digits(currency)), currency };
}

/** The amount as a user would type it, for a field's value. @param {{ amount: number, currency: string }} money */
export const moneyText = ({ amount, currency }) =>
  number(amount / 10 ** digits(currency), { minimumFractionDigits: digits(currency), useGrouping: false });

/**
 * @param {string | number | Date} at
 * @param {Intl.DateTimeFormatOptions} [options]
 */
export const date = (at, options = { dateStyle: "medium" }) =>
  cached("date", options, () => new Intl.DateTimeFormat(locale, options)).format(new Date(at));

/** @param {string | number | Date} at */
export const dateTime = (at) => date(at, { dateStyle: "medium", timeStyle: "short" });

/** @param {string | number | Date} at */
export const time = (at) => date(at, { timeStyle: "short" });

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["year", 31_557_600], ["month", 2_629_800], ["week", 604_800], ["day", 86_400], ["hour", 3600], [
  "minute",
  60,
]];

/**
 * "3 hours ago", "in 2 days"; "now" below a minute.
 * @param {string | number | Date} at
 * @param {number} [now]
 */
export function relative(at, now = Date.now()) {
  const seconds = (new Date(at).getTime() - now) / 1000;
  const [unit, size] = UNITS.find((it) => Math.abs(seconds) >= it[1]) ?? ["second", Infinity];
  const format = cached("relative", {}, () => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));
  return format.format(Math.trunc(seconds / size), unit);
}

/** "1:05", "1:02:03": the length of a recording or what is left of a time. @param {number} milliseconds */
export function clockTime(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const pad = (/** @type {number} */ it) => String(it).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

/** @param {number} count */
export function bytes(count) {
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const unit = ["byte", "kilobyte", "megabyte", "gigabyte"][power];
  return number(count / 1000 ** power, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 });
}

/** "Ada, Ben and Cleo". @param {string[]} items */
export const listing = (items) => cached("list", {}, () => new Intl.ListFormat(locale)).format(items);

/** The name of a country: `DE` is "Germany". @param {string} code */
export const regionName = (code) =>
  cached("region", {}, () => new Intl.DisplayNames(locale, { type: "region", fallback: "code" })).of(code);
