// @ts-check
/** What an order still needs: the bank's confirmation, or another way to pay. */
import { call } from "../../shared/api.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { countdown } from "../../shared/components/countdown.js";
import { money } from "../../shared/language.js";
import { bankNotice, keepAsking } from "../../shared/payment/bank.js";
import { paymentField } from "../../shared/payment/cards.js";
import { h, state } from "../../shared/view.js";
import { inWords } from "../problems.js";
import { t } from "../strings.js";

/** @import { Order, PaymentChoice } from "../../../Types/api.d.ts" */
/** @import { PaymentOption } from "../../shared/payment/cards.js" */
/** @import { State } from "../../shared/signals.js" */

/**
 * @param {State<Order>} order
 * @param {PaymentOption[]} options
 * @param {() => Promise<void>} reload
 */
export function paymentPanel(order, options, reload) {
  const isChoosing = state(false);
  const { id } = order.get();
  const pay = async (/** @type {PaymentChoice} */ choice, /** @type {string} */ key) => {
    order.set(await inWords(call("POST /v1/orders/{id}/payments", { id, body: choice }, { key })));
    isChoosing.set(false);
  };
  const { payment, payBy } = order.get();
  const waits = payment && ["created", "pending", "requiresAction"].includes(payment.status);
  if (waits) keepAsking(reload);
  return h(
    "section.card.stack.pay-panel",
    { "aria-label": t("payment") },
    () =>
      waits && !isChoosing.get() ? bank(order, reload, pay, () => isChoosing.set(true)) : h(
        "div.stack",
        null,
        h("h2", null, t(payment?.status === "failed" ? "paymentFailed" : "payNow")),
        payment?.status === "failed" && h("p.form-failure", { role: "alert" }, icon("error"), t("paymentFailedHint")),
        form({
          fields: [paymentField(options)],
          submit: t("pay", { amount: money(order.get().total) }),
          onsubmit: ({ payment }, { key }) => pay(payment, key),
          oncancel: waits ? () => isChoosing.set(false) : undefined,
        }),
      ),
    payBy &&
      h("p.row.soft.small-text", null, icon("clock"), t("reservedFor"), countdown(() => payBy, { onend: reload })),
  );
}

/**
 * @param {State<Order>} order
 * @param {() => Promise<void>} reload
 * @param {(choice: PaymentChoice, key: string) => Promise<void>} pay
 * @param {() => void} choose
 */
function bank(order, reload, pay, choose) {
  const { id, payment, total } = order.get();
  const refresh = async () => {
    await call("POST /v1/orders/{id}/payments/{payment}/refresh", { id, payment: payment?.id ?? "" });
    await reload();
  };
  return bankNotice({
    amount: payment?.amount ?? total,
    refresh,
    middle: payment?.provider === "test" ? testBank(pay) : null,
    other: h("button.button.quiet", { type: "button", onclick: choose }, t("payOtherwise")),
  });
}

/** The test provider has no bank, so this page plays it. @param {(choice: PaymentChoice, key: string) => Promise<void>} pay */
const testBank = (pay) =>
  h(
    "div.test-bank",
    { role: "group", "aria-label": t("testBank") },
    h("p", null, h("strong", null, t("testBank")), h("span.soft.small-text", null, t("testBankHint"))),
    h(
      "p.row",
      null,
      actionButton({
        label: t("approve"),
        icon: "check",
        class: "primary",
        run: () => pay({ provider: "test", token: "test_success" }, crypto.randomUUID()),
      }),
      actionButton({
        label: t("refuse"),
        icon: "close",
        run: () => pay({ provider: "test", token: "test_decline" }, crypto.randomUUID()),
      }),
    ),
  );
