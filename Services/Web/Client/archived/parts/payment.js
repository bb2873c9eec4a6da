// @ts-check
/** How an order is paid: with a kept card, or a card of the test provider, which moves no money. */
import { call } from "../../shared/api.js";
import { t } from "../more-strings.js";

/** @import { PaymentChoice, PaymentMethod } from "../../../Types/api.d.ts" */

/** Tokens of the test provider (docs/payments.md); others wait for the bank. */
const CARDS = /** @type {const} */ (["test_success", "test_bank", "test_decline"]);

/** The kept cards that can be paid with. @param {AbortSignal} [signal] */
export async function readyMethods(signal) {
  const { items } = await call("GET /v1/payment-methods", {}, { signal });
  return items.filter((it) => it.state === "ready");
}

/** @param {PaymentMethod} method */
export const methodName = ({ label, card }) => card ? `${label} · ${card.brand} •••• ${card.lastFour}` : label;

/**
 * A field of a form; `choiceOf` reads its value.
 * @param {PaymentMethod[]} methods
 */
export const paymentField = (methods) => ({
  name: "payWith",
  label: t("payWith"),
  kind: "select",
  options: [
    ...methods.map((it) => ({ value: `method:${it.id}`, label: methodName(it) })),
    ...CARDS.map((it) => ({ value: it, label: t(it) })),
  ],
});

/** @param {string} value @param {PaymentMethod[]} methods @returns {PaymentChoice} */
export function choiceOf(value, methods) {
  const method = methods.find((it) => `method:${it.id}` === value);
  return method ? { provider: method.provider, paymentMethodID: method.id } : { provider: "test", token: value };
}

const COUNTRIES = [
  "AT",
  "BE",
  "CA",
  "CH",
  "DE",
  "DK",
  "ES",
  "FI",
  "FR",
  "GB",
  "IE",
  "IT",
  "NL",
  "NO",
  "PL",
  "PT",
  "SE",
  "US",
];

/** The country, by which the tax is computed. @param {string} language */
export const regionField = (language) => {
  const names = new Intl.DisplayNames(language.startsWith("de") ? "de" : "en", { type: "region" });
  const options = COUNTRIES.map((it) => ({ value: it, label: names.of(it) ?? it }));
  return {
    name: "region",
    label: t("country"),
    hint: t("countryHint"),
    kind: "select",
    options: [{ value: "", label: t("countryNone") }, ...options.sort((a, b) => a.label.localeCompare(b.label))],
  };
};
