// @ts-check
import { Problem } from "../shared/api.js";
import { t } from "./strings.js";

const WORDS = /** @type {const} */ ({
  "insufficient-stock": "problemStock",
  "region-not-served": "problemRegion",
  "price-changed": "problemPrice",
  "cart-changed": "problemPrice",
  "too-many-unpaid-orders": "problemUnpaid",
  "payment-provider-unavailable": "problemProvider",
});

/**
 * The problems of buying, in the language of the customer.
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
export function inWords(answer) {
  return answer.catch((error) => {
    const key = error instanceof Problem && WORDS[/** @type {keyof typeof WORDS} */ (error.code)];
    if (key) error.detail = t(key);
    throw error;
  });
}
