// @ts-check
/** The personal data that KeepFit asks for: gender, weight, height, birthday and fitness level. */
import { call, Problem } from "../../shared/api.js";
import { user } from "../../shared/session.js";
import { choices } from "../words.js";
import { t } from "../screen-strings.js";

/** @import { ProfileDetails, ProfilePatch } from "../../../Types/api.d.ts" */
/** @import { Field } from "../../shared/components/form.js" */

/** The version of the text to which users consent. */
const CONSENT_VERSION = "2026-11";

/**
 * Weight and height are kept in grams and millimeters.
 * @param {ProfileDetails} details
 * @returns {Field[]}
 */
export function bodyFields({ gender, birthday, weightGrams, heightMillimetres, fitnessLevel }) {
  return [
    {
      name: "gender",
      label: t("gender"),
      kind: "select",
      value: gender ?? "undisclosed",
      options: choices("gender"),
    },
    { name: "birthday", label: t("birthday"), kind: "date", value: birthday, props: { autocomplete: "bday" } },
    {
      name: "weightGrams",
      label: t("weight"),
      kind: "number",
      value: weightGrams && weightGrams / 1000,
      hint: t("weightHint"),
      props: { min: 20, max: 500, step: "any", inputmode: "decimal" },
    },
    {
      name: "heightMillimetres",
      label: t("height"),
      kind: "number",
      value: heightMillimetres && heightMillimetres / 10,
      props: { min: 50, max: 280, step: "any", inputmode: "decimal" },
    },
    {
      name: "fitnessLevel",
      label: t("fitnessLevel"),
      kind: "select",
      value: fitnessLevel ?? "beginner",
      options: choices("fitnessLevel"),
    },
  ];
}

/**
 * The values of {@link bodyFields} as the API has them.
 * @param {Record<string, any>} values
 * @returns {ProfilePatch}
 */
export const bodyDetails = ({ gender, birthday, weightGrams, heightMillimetres, fitnessLevel }) => ({
  gender,
  fitnessLevel,
  birthday: birthday ?? null,
  weightGrams: weightGrams === undefined ? null : Math.round(weightGrams * 1000),
  heightMillimetres: heightMillimetres === undefined ? null : Math.round(heightMillimetres * 10),
});

/** Records what the user decides about weight, height and birthday. @param {boolean} isGiven */
export const decideOnHealthData = (isGiven) =>
  call("PUT /v1/users/me/consents", {
    body: { decisions: [{ purpose: "healthData", textVersion: CONSENT_VERSION, isGiven }] },
  });

/**
 * Changes the account; what is invalid has the names of {@link bodyFields}, without `details`.
 * @param {import("../../../Types/api.d.ts").AuthUpdateMeBody} body
 * @param {number} [version]
 */
export async function updateAccount(body, version) {
  try {
    user.set(await call("PATCH /v1/users/me", { body }, { version }));
  } catch (error) {
    if (error instanceof Problem) {
      error.errors = error.errors.map((it) => ({ ...it, location: it.location.replace("body.details.", "body.") }));
    }
    throw error;
  }
}
