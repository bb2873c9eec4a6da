// @ts-check
/** From one number, amount or day to another. */
import { moneyText, parseMoney } from "../../shared/language.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { p } from "../profile-strings.js";

/** @import { PreferenceField } from "../../../Types/api.d.ts" */

const CURRENCIES = ["EUR", "USD", "GBP", "CHF", "CAD", "AUD", "SEK", "DKK", "NOK", "PLN", "CZK", "JPY", "INR", "BRL"];

/**
 * @param {PreferenceField} field
 * @param {{ from?: any, to?: any, currency?: string }} value
 */
export function rangeInputs(field, value) {
  if (field.key === "budget") return amounts(value);
  if (field.unit === "date") return pair({ type: "date" }, value, (it) => it);
  return pair(
    { type: "number", inputmode: "numeric", min: field.minimum, max: field.maximum },
    value,
    Number,
    field.unit === "months" ? p("monthsUnit") : field.unit === "years" ? p("yearsUnit") : undefined,
  );
}

/**
 * @param {Record<string, any>} props
 * @param {{ from?: any, to?: any }} value
 * @param {(text: string) => any} parse
 * @param {string} [unit]
 */
function pair(props, value, parse, unit) {
  const [from, to] = [value.from, value.to].map((it, index) =>
    h("input.input", { ...props, "aria-label": p(index ? "to" : "from"), value: it ?? "" })
  );
  const isFilled = () => from.value !== "" || to.value !== "";
  return {
    element: h(
      "div.range",
      null,
      from,
      h("span.soft", { "aria-hidden": "true" }, "–"),
      to,
      unit && h("span", null, unit),
    ),
    // one end alone stands for both: someone who stays for 12 months
    read: () => isFilled() ? { from: parse(from.value || to.value), to: parse(to.value || from.value) } : undefined,
    check: () => isFilled() && parse(from.value || to.value) > parse(to.value || from.value) ? p("rangeOrder") : "",
  };
}

/** @param {{ from?: number, to?: number, currency?: string }} value */
function amounts(value) {
  const known = value.currency ?? "EUR";
  const currency = h(
    "select.input",
    { "aria-label": p("currency"), value: known },
    [...new Set([known, ...CURRENCIES])].map((it) => h("option", { value: it }, it)),
  );
  const [from, to] = [value.from, value.to].map((it, index) =>
    h("input.input", {
      inputmode: "decimal",
      "aria-label": p(index ? "to" : "from"),
      value: it === undefined ? "" : moneyText({ amount: it, currency: known }),
    })
  );
  const amount = (/** @type {HTMLInputElement} */ input) => parseMoney(input.value.trim(), currency.value)?.amount;
  const read = () =>
    amount(to) === undefined ? undefined : { from: amount(from) ?? 0, to: amount(to), currency: currency.value };
  const check = () => {
    const isWrong = [from, to].some((it) => it.value.trim() && amount(it) === undefined);
    if (isWrong) return text("invalidAmount", { example: moneyText({ amount: 55000, currency: currency.value }) });
    if (from.value.trim() && !to.value.trim()) return p("budgetNeedsMost");
    return (amount(from) ?? 0) > (amount(to) ?? Infinity) ? p("rangeOrder") : "";
  };
  return {
    element: h("div.range", null, from, h("span.soft", { "aria-hidden": "true" }, "–"), to, currency),
    read,
    check,
  };
}
