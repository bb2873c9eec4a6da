// @ts-check
/** The platform's words for values that people read, in the language of the page: muscles, equipment, types of workouts. */
import { call } from "../shared/api.js";
import { language } from "../shared/language.js";

/** @typedef {"equipment" | "exerciseLevel" | "fitnessLevel" | "gender" | "intensityLevel" | "muscle" | "workoutType"} Kind */

/** @type {Map<string, Map<string, string>>} */
let words = new Map();
/** @type {Promise<void> | undefined} */
let loading;

/** Loads them once; call it in the `load` of a screen that needs them. */
export function loadWords() {
  loading ??= fetchWords().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function fetchWords() {
  const { items } = await call("GET /v1/enumerations", { language: language === "de" ? "de" : "en" });
  words = new Map(items.map((it) => [it.name, new Map(it.choices.map(({ value, word }) => [value, word]))]));
}

/**
 * @param {Kind} kind
 * @param {string} value one that is unknown stands for itself
 */
export const word = (kind, value) => words.get(kind)?.get(value) ?? value;

/** All values with their words, for a choice. @param {Kind} kind */
export const choices = (kind) => [...words.get(kind) ?? []].map(([value, label]) => ({ value, label }));
