// @ts-check
import { money } from "../../shared/language.js";
import { h } from "../../shared/view.js";
import { t } from "../more-strings.js";

/** @import { Money } from "../../../Types/api.d.ts" */

/** The sums below a cart and an order. @param {{ subtotal: Money, tax: Money, total: Money, credit?: Money, refunded?: Money }} sums */
export const totals = ({ subtotal, tax, total, credit, refunded }) =>
  h(
    "dl.totals",
    null,
    line(t("subtotal"), subtotal),
    tax.amount > 0 && line(t("tax"), tax),
    credit && credit.amount > 0 && line(t("storeCredit"), { ...credit, amount: -credit.amount }),
    line(t("total"), total, "is-total"),
    refunded && refunded.amount > 0 && line(t("refunded"), refunded),
  );

/**
 * @param {string} label
 * @param {Money} value
 * @param {string} [kind]
 */
const line = (label, value, kind = "") =>
  h("div", { class: kind }, h("dt", null, label), h("dd.number", null, money(value)));
