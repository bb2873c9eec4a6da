// @ts-check
import { money } from "../language.js";
import { h } from "../view.js";
import "./style.js";
import { t } from "./strings.js";

/** @import { Money } from "../../../Types/api.d.ts" */

/**
 * The sums below the lines of a quote, an order or a receipt.
 * @param {{ subtotal: Money, tax: Money, shipping: Money, total: Money, credit?: Money, refunded?: Money }} sums
 * @param {{ isShipped?: boolean }} [options] whether what is sold is sent in parcels
 */
export function totals({ subtotal, tax, shipping, total, credit, refunded }, { isShipped = false } = {}) {
  const less = (/** @type {Money} */ sum) => money({ ...sum, amount: -sum.amount });
  return h(
    "dl.totals",
    null,
    row(t("subtotal"), money(subtotal)),
    isShipped && row(t("shipping"), shipping.amount > 0 ? money(shipping) : t("free")),
    (isShipped || tax.amount > 0) && row(t("tax"), money(tax)),
    row(t("total"), money(total), "is-total"),
    credit && credit.amount > 0 && row(t("paidByCredit"), less(credit)),
    refunded && refunded.amount > 0 && row(t("refunded"), less(refunded)),
  );
}

/** @param {string} label @param {string} sum @param {string} [kind] */
const row = (label, sum, kind) => h("div", { class: kind }, h("dt", null, label), h("dd.number", null, sum));
