// @ts-check
/** How much of an order is paid back, and how. */
import { form } from "../../shared/components/form.js";
import { money } from "../../shared/language.js";
import { h, state } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Order, OrdersRefundOrderBody } from "../../../Types/api.d.ts" */

/** What has been paid and neither paid back nor is on its way. @param {Order} order */
export const refundable = ({ total, refunded, refundPending }) => ({
  amount: total.amount - refunded.amount - (refundPending?.amount ?? 0),
  currency: total.currency,
});

/**
 * The request for what was chosen: `all`, `amount`, or the position of a line.
 * @param {{ what: string, amount?: OrdersRefundOrderBody["amount"], toCredit: boolean, restock: boolean, reason?: string }} values
 * @returns {OrdersRefundOrderBody}
 */
export function refundBody({ what, amount, toCredit, restock, reason }) {
  const part = what === "amount" ? { amount } : what === "all" ? {} : { lines: [{ position: Number(what) }] };
  return { ...part, toCredit, ...(what !== "amount" && { restock }), reason };
}

/**
 * @param {{ order: Order, onrefund: (body: OrdersRefundOrderBody, key: string) => Promise<void>, oncancel: () => void }} options
 */
export function refundForm({ order, onrefund, oncancel }) {
  const rest = refundable(order);
  const what = state("all");
  const fields = () => [
    {
      name: "what",
      label: t("refundWhat"),
      kind: "select",
      value: what.get(),
      options: [
        { value: "all", label: t("refundAll", { amount: money(rest) }) },
        ...order.lines.filter((it) => it.returned.amount < it.gross.amount).map((it) => ({
          value: String(it.position),
          label: `${it.title} (${money({ ...it.gross, amount: it.gross.amount - it.returned.amount })})`,
        })),
        { value: "amount", label: t("refundAmount") },
      ],
      props: { onchange: (/** @type {any} */ event) => what.set(event.target.value) },
    },
    ...(what.get() === "amount"
      ? [{ name: "amount", label: t("amount"), kind: "money", currency: rest.currency, required: true }]
      : []),
    { name: "toCredit", label: t("refundToCredit"), kind: "checkbox" },
    ...(what.get() === "amount" ? [] : [{ name: "restock", label: t("restock"), kind: "checkbox" }]),
    { name: "reason", label: t("reason"), required: true, props: { maxlength: 120 } },
  ];
  return h("div", null, () =>
    form({
      fields: fields(),
      submit: t("refund"),
      isDangerous: true,
      oncancel,
      onsubmit: (values, { key }) => onrefund(refundBody(values), key),
    }));
}
