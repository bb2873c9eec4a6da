// @ts-check
import { Problem } from "../../../shared/api.js";
import { t } from "./strings.js";

const WORDS = /** @type {const} */ ([
  "already-plan-member",
  "already-subscribed",
  "no-seat-left",
  "payment-declined",
  "payment-method-not-ready",
  "plan-change-not-possible",
  "plan-invitation-invalid",
  "plan-not-active",
  "provider-not-available",
  "request-in-progress",
  "seats-in-use",
  "too-many-payment-attempts",
  "too-many-plan-invitations",
]);

/**
 * Problems of plans, in the language of the page.
 * @template T
 * @param {Promise<T>} answer
 * @returns {Promise<T>}
 */
export const inWords = (answer) =>
  answer.catch((error) => {
    const known = error instanceof Problem && WORDS.find((it) => it === error.code);
    if (known) error.detail = t(`problem-${known}`);
    throw error;
  });
