// @ts-check
import { money } from "../../shared/language.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Money } from "../../../Types/api.d.ts" */

/**
 * The sums below the lines of a quote, an order or a receipt.
 * @param {{ subtotal: Money, tax: Money, shipping: Money, total: Money, credit?: Money, refunded?: Money }} sums
 */
export function totals({ subtotal, tax, shipping, total, credit, refunded }) {
  /** @type {[string, string, string?][]} */
  const rows = [
    [t("subtotal"), money(subtotal)],
    [t("shipping"), shipping.amount > 0 ? money(shipping) : t("free")],
    [t("tax"), money(tax)],
    [t("total"), money(total), "is-total"],
  ];
  if (credit && credit.amount > 0) rows.push([t("paidByCredit"), money({ ...credit, amount: -credit.amount })]);
  if (refunded && refunded.amount > 0) rows.push([t("refunded"), money({ ...refunded, amount: -refunded.amount })]);
  return h(
    "dl.totals",
    null,
    rows.map(([name, amount, kind]) => h("div", { class: kind }, h("dt", null, name), h("dd.number", null, amount))),
  );
}
