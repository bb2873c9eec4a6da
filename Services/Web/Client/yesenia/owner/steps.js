// @ts-check
/** The way of an order from the payment to the customer's door. */

/** @import { Order } from "../../../Types/api.d.ts" */
/** @typedef {"processing" | "processed" | "shipped" | "delivered"} Step */

export const STEPS = /** @type {const} */ (["processing", "processed", "shipped", "delivered"]);

/**
 * The step that follows, if any.
 * @param {Pick<Order, "status" | "fulfillmentStatus">} order
 * @returns {Step | undefined}
 */
export function nextStep({ status, fulfillmentStatus }) {
  const index = STEPS.findIndex((it) => it === fulfillmentStatus);
  return status === "placed" && index >= 0 ? STEPS[index + 1] : undefined;
}

/**
 * Newer orders, where those that have not changed are the same objects as before: their cards stay as they are.
 * @template {{ id: string, version: number }} T
 * @param {T[]} known
 * @param {T[]} newer
 * @returns {T[]}
 */
export const keepUnchanged = (known, newer) =>
  newer.map((it) => known.find(({ id, version }) => id === it.id && version === it.version) ?? it);
