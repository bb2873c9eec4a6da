// @ts-check
/**
 * The fields of a form for the living preferences, made from the API's table: a field that is added there appears here.
 * Its value is absent while nothing is filled.
 */
import { h, state } from "../../shared/view.js";
import { fieldTitle, word } from "../labels.js";
import { p } from "../profile-strings.js";
import { chips } from "./chips.js";
import { languageChips } from "./language-chips.js";
import { placeField } from "./place-field.js";
import { rangeInputs } from "./range-inputs.js";

/** @import { Field } from "../../shared/components/form.js" */
/** @import { PreferenceField, RoommatePreferences } from "../../../Types/api.d.ts" */

/** In the order of the page; those that the table has besides come last. */
const SECTIONS = /** @type {const} */ ([
  ["sectionHome", ["place", "distance", "budget", "moveIn", "stay"]],
  ["sectionHabits", ["smoking", "pets", "cleanliness", "noise", "sleep", "guests", "cooking", "workFromHome"]],
  ["sectionPeople", ["languages", "age", "gender", "school"]],
]);

/**
 * @param {PreferenceField[]} table
 * @param {RoommatePreferences} [known]
 * @returns {Field[]}
 */
export function preferenceFields(table, known = {}) {
  const placed = new Set(SECTIONS.flatMap(([, keys]) => /** @type {readonly string[]} */ (keys)));
  const others = table.filter((it) => !placed.has(it.key)).map((it) => it.key);
  const sections = [...SECTIONS, /** @type {const} */ (["sectionMore", others])];
  return sections.flatMap(([title, keys]) =>
    keys.flatMap((key) => table.filter((it) => it.key === key))
      .map((it, index) => ({ ...build(it, known), heading: index === 0 ? p(title) : undefined }))
  );
}

/**
 * @param {PreferenceField} field
 * @param {any} known
 * @returns {Field}
 */
function build(field, known) {
  const base = { name: `preferences.${field.key}`, label: fieldTitle(field) };
  const value = known[field.key] ?? {};
  if (field.kind === "place") return { ...base, ...placeField(value) };
  if (field.kind === "range") return { ...base, ...weighted(rangeInputs(field, value), value) };
  if (field.kind === "limit") return { ...base, ...weighted(limitInput(field, value), value) };
  if (field.kind === "weight") return { ...base, ...onlyWeight(value) };
  return { ...base, ...accepting(field, value) };
}

/** Whether a field counts for the user. */
const WEIGHTS =
  /** @type {const} */ ([["indifferent", "weightNone"], ["prefer", "weightPrefer"], ["must", "weightMust"]]);

/** @param {string} [weight] @param {() => void} [onchange] */
function weightChips(weight = "indifferent", onchange) {
  const select = h(
    "select.input",
    { "aria-label": p("weight"), value: weight, onchange },
    WEIGHTS.map(([value, key]) => h("option", { value }, p(key))),
  );
  return { element: h("div.weight", null, select), read: () => select.value };
}

/**
 * A range or limit, and how much it counts once it is filled.
 * @param {{ element: HTMLElement, read: () => any, check?: () => string }} inputs
 * @param {{ weight?: string }} value
 */
function weighted(inputs, value) {
  const weight = weightChips(value.weight);
  const read = () => {
    const filled = inputs.read();
    return filled && { ...filled, weight: weight.read() };
  };
  return { element: h("div.preference", null, inputs.element, weight.element), read, check: inputs.check };
}

/**
 * @param {PreferenceField} field
 * @param {{ kilometers?: number }} value
 */
function limitInput({ minimum, maximum }, value) {
  const input = h("input.input", {
    type: "number",
    "aria-label": p("kilometersLabel"),
    inputmode: "numeric",
    min: minimum,
    max: maximum,
    value: value.kilometers ?? "",
    placeholder: "50",
  });
  const read = () => input.value ? { kilometers: Number(input.value) } : undefined;
  return { element: h("div.affixed", null, input, h("span", { "aria-hidden": "true" }, "km")), read };
}

/** @param {{ weight?: string }} value */
function onlyWeight(value) {
  const weight = weightChips(value.weight);
  const read = () => weight.read() === "indifferent" ? undefined : { weight: weight.read() };
  return { element: weight.element, read };
}

/**
 * What the user has (of `choice` and `set`), and what a roommate may have once it counts.
 * @param {PreferenceField} field
 * @param {{ own?: any, accepts?: any[], weight?: string }} value
 */
function accepting(field, value) {
  const numbers = !field.values && field.minimum !== undefined;
  const values = field.values ??
    Array.from(
      { length: (field.maximum ?? 0) - (field.minimum ?? 0) + 1 },
      (_, index) => String((field.minimum ?? 0) + index),
    );
  const options = values.map((it) => ({ value: it, label: word(field.key, it) }));
  const title = fieldTitle(field);
  const typed = (/** @type {string[]} */ chosen) => numbers ? chosen.map(Number) : chosen;
  const choose = (/** @type {string} */ label, /** @type {any[]} */ chosen, isSingle = false) =>
    values.length > 20
      ? languageChips({ label, values, chosen })
      : chips({ label, options, chosen: chosen.map(String), isSingle });

  const own = field.kind === "accepted"
    ? null
    : choose(p("ownOf", { field: title }), [value.own ?? []].flat(), field.kind === "choice");
  const accepts = choose(p("acceptsOf", { field: title }), value.accepts ?? []);
  const counts = state((value.weight ?? "indifferent") !== "indifferent");
  const weight = weightChips(value.weight, () => counts.set(weight.read() !== "indifferent"));

  const read = () => {
    const had = typed(own?.read() ?? []);
    const accepted = typed(accepts.read());
    const mine = had.length > 0 ? { own: field.kind === "choice" ? had[0] : had } : undefined;
    if (!counts.get()) return mine;
    return { ...mine, ...(accepted.length > 0 && { accepts: accepted }), weight: weight.read() };
  };
  const contradicts = () => field.key === "pets" && own?.read().includes("none") && own.read().length > 1;
  const isMissing = () => counts.get() && accepts.read().length === 0 && field.key !== "languages";
  return {
    element: h(
      "div.preference",
      null,
      own && h("p.preference-side", null, p("me")),
      own?.element,
      h("p.preference-side", null, p("roommate")),
      weight.element,
      h("div.accepts", { hidden: () => !counts.get() }, accepts.element),
    ),
    read,
    check: () => isMissing() ? p("chooseAccepted") : contradicts() ? p("petsContradict") : "",
  };
}
