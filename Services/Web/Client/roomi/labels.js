// @ts-check
/** Words for what the API names by codes. */
import { date, language, money, number } from "../shared/language.js";
import { t } from "./strings.js";

/** @import { PreferenceField, RoommateCard, RoommatePreferences } from "../../Types/api.d.ts" */

const locale = language.includes("-") ? "en" : language;
const languages = new Intl.DisplayNames([locale], { type: "language" });
const regions = new Intl.DisplayNames([locale], { type: "region", fallback: "none" });

/** @type {Record<string, string>} */
const titles = {
  place: t("fieldPlace"),
  distance: t("fieldDistance"),
  budget: t("fieldBudget"),
  moveIn: t("fieldMoveIn"),
  stay: t("fieldStay"),
  age: t("fieldAge"),
  gender: t("fieldGender"),
  smoking: t("fieldSmoking"),
  pets: t("fieldPets"),
  cleanliness: t("fieldCleanliness"),
  noise: t("fieldNoise"),
  sleep: t("fieldSleep"),
  guests: t("fieldGuests"),
  cooking: t("fieldCooking"),
  workFromHome: t("fieldWorkFromHome"),
  languages: t("fieldLanguages"),
  school: t("fieldSchool"),
};

const often = { never: t("never"), sometimes: t("sometimes"), often: t("often") };

/** @type {Record<string, Record<string, string>>} */
const words = {
  gender: {
    female: t("female"),
    male: t("male"),
    nonBinary: t("nonBinary"),
    undisclosed: t("undisclosed"),
  },
  smoking: { never: t("smokingNever"), outside: t("smokingOutside"), inside: t("smokingInside") },
  pets: {
    none: t("petNone"),
    cat: t("petCat"),
    dog: t("petDog"),
    smallAnimal: t("petSmall"),
    other: t("petOther"),
  },
  sleep: { early: t("sleepEarly"), flexible: t("sleepFlexible"), late: t("sleepLate") },
  guests: often,
  cooking: often,
  workFromHome: often,
  cleanliness: { 1: t("clean1"), 2: t("clean2"), 3: t("clean3"), 4: t("clean4"), 5: t("clean5") },
  noise: { 1: t("noise1"), 2: t("noise2"), 3: t("noise3"), 4: t("noise4"), 5: t("noise5") },
};

/** A field that is newer than this page has the API's title. @param {PreferenceField} field */
export const fieldTitle = (field) => titles[field.key] ?? field.title;

/** @param {string} key of a field @param {string | number} value */
export const word = (key, value) =>
  key === "languages" ? languageName(String(value)) : words[key]?.[value] ?? String(value);

/** @param {string} code */
export const languageName = (code) => languages.of(code) ?? code;

/** @param {string} code */
export const countryName = (code) => regions.of(code) ?? code;

/** All countries that the browser has a name for, by name. */
export function countries() {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  // regions that are groups, historic or made up
  const others = new Set("AC AN BU CP CS DD DG EA EU EZ FX IC NT QO QU SU TA TP UK UN XA XB YD YU ZR ZZ".split(" "));
  return letters.flatMap((one) => letters.map((other) => one + other))
    .flatMap((code) => !others.has(code) && regions.of(code) ? [{ value: code, label: countryName(code) }] : [])
    .sort((one, other) => one.label.localeCompare(other.label, locale));
}

/** @type {Record<string, string>} */
const distances = {
  under2Kilometers: t("distanceUnder", { count: 2 }),
  under5Kilometers: t("distanceUnder", { count: 5 }),
  under10Kilometers: t("distanceUnder", { count: 10 }),
  under25Kilometers: t("distanceUnder", { count: 25 }),
  under50Kilometers: t("distanceUnder", { count: 50 }),
  under100Kilometers: t("distanceUnder", { count: 100 }),
  farther: t("distanceFarther"),
};

/** @type {Record<string, string>} */
const reasons = {
  nonSmokers: t("reasonNonSmokers"),
  budgetsOverlap: t("reasonBudget"),
  moveInOverlaps: t("reasonMoveIn"),
  stayOverlaps: t("reasonStay"),
  similarCleanliness: t("reasonCleanliness"),
  similarNoise: t("reasonNoise"),
  sameSleep: t("reasonSleep"),
  samePets: t("reasonPets"),
  sameGuests: t("reasonGuests"),
  sameCooking: t("reasonCooking"),
  sameWorkFromHome: t("reasonWorkFromHome"),
  sharedLanguages: t("reasonLanguages"),
  sameSchool: t("reasonSchool"),
  nearby: t("reasonNearby"),
};

/** @param {RoommateCard["reasons"][number]} reason */
export const reasonText = ({ code, text }) => reasons[code] ?? text;

/** "Munich · under 5 km away". @param {RoommateCard} card */
export const placeText = ({ place, distance }) =>
  [place?.name, distance && distances[distance]].filter(Boolean).join(" · ");

/** @param {RoommateCard} card */
export const nameOf = (card) => card.user?.displayName ?? t("someone");

/** @param {RoommateCard} card */
export const nameAndAge = (card) => t("nameAge", { name: nameOf(card), age: card.age });

/** Without the cents of whole amounts. @param {number} amount @param {string} currency */
const rent = (amount, currency) => money({ amount, currency }).replace(/[.,]00(?!\d)/, "");

/** What someone has filled, as pairs of title and text. @param {RoommatePreferences} preferences */
export function preferenceTexts(preferences) {
  const { place, budget, moveIn, stay, age, gender, distance } = preferences;
  /** @type {[string, string | undefined][]} */
  const pairs = [
    ["place", place?.city && t("cityCountry", { city: place.city.name, country: countryName(place.city.country) })],
    ["distance", distance && t("kilometers", { count: distance.kilometers })],
    [
      "budget",
      budget &&
      t("fromTo", {
        from: rent(budget.from, budget.currency),
        to: rent(budget.to, budget.currency),
      }),
    ],
    ["moveIn", moveIn && t("fromTo", { from: date(moveIn.from), to: date(moveIn.to) })],
    ["stay", stay && (stay.from === stay.to ? t("months", { count: stay.to }) : t("monthsRange", stay))],
    ["age", age && t("fromTo", { from: number(age.from), to: number(age.to) })],
    ["gender", gender && gender.weight !== "indifferent" ? wordList("gender", gender.accepts) : undefined],
  ];
  for (
    const key
      of /** @type {const} */ (["smoking", "cleanliness", "noise", "sleep", "guests", "cooking", "workFromHome"])
  ) {
    const own = preferences[key]?.own;
    pairs.push([key, own === undefined ? undefined : word(key, own)]);
  }
  pairs.push(["pets", wordList("pets", preferences.pets?.own)], [
    "languages",
    wordList("languages", preferences.languages?.own),
  ]);
  return pairs.flatMap(([key, text]) => text ? [{ key, title: titles[key], text }] : []);
}

/** @param {string} key @param {string[] | undefined} values */
const wordList = (key, values) => values?.map((it) => word(key, it)).join(", ");
