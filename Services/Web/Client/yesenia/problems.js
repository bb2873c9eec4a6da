// @ts-check
import { Problem } from "../shared/api.js";
import { t } from "./strings.js";

const WORDS = /** @type {const} */ ({
  "insufficient-stock": "problemStock",
  "region-not-served": "problemRegion",
  "price-changed": "problemPrice",
  "cart-changed": "problemPrice",
  "too-many-unpaid-orders": "problemUnpaid",
  "provider-not-available": "problemProvider",
  "cart-full": "problemCartFull",
  "payment-in-progress": "problemPaying",
  "too-many-payment-attempts": "problemAttempts",
  "newsletter-token-invalid": "problemCode",
});

/**
 * Problems that customers meet, in their language.
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
