// @ts-check
/** What an order still needs: the bank's confirmation, or another way to pay. */
import { call } from "../api.js";
import { countdown } from "../components/countdown.js";
import { actionButton, form } from "../components/form.js";
import { icon } from "../components/icon.js";
import { money } from "../language.js";
import { withLocalizedProblem } from "../problems.js";
import { h, state } from "../view.js";
import { bankNotice, keepAsking } from "./bank.js";
import { paymentField } from "./cards.js";
import { t } from "./strings.js";

/** @import { Order, PaymentChoice } from "../../../Types/api.d.ts" */
/** @import { Field } from "../components/form.js" */
/** @import { State } from "../signals.js" */
/** @import { PaymentOption } from "./cards.js" */
/** @typedef {{ payment: PaymentChoice, region?: string }} Choice */

/**
 * @param {State<Order>} order
 * @param {PaymentOption[]} options
 * @param {() => Promise<void>} reload
 * @param {Field[]} [fields] what else the payment depends on, such as the region of the buyer
 */
export function paymentPanel(order, options, reload, fields = []) {
  const isChoosing = state(false);
  const { id, payment, payBy } = order.get();
  const pay = async (/** @type {Choice} */ { payment, ...others }, /** @type {string} */ key) => {
    const body = { ...payment, ...others };
    order.set(await withLocalizedProblem(call("POST /v1/orders/{id}/payments", { id, body }, { key }), t));
    isChoosing.set(false);
  };
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
          fields: [...fields, paymentField(options)],
          submit: t("pay", { amount: money(order.get().total) }),
          onsubmit: (choice, { key }) => pay(choice, key),
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
 * @param {(choice: Choice, key: string) => Promise<void>} pay
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

/** The test provider has no bank, so this page plays it. @param {(choice: Choice, key: string) => Promise<void>} pay */
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
        run: () => pay({ payment: { provider: "test", token: "test_success" } }, crypto.randomUUID()),
      }),
      actionButton({
        label: t("refuse"),
        icon: "close",
        run: () => pay({ payment: { provider: "test", token: "test_decline" } }, crypto.randomUUID()),
      }),
    ),
  );
