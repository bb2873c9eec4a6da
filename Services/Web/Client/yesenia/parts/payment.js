// @ts-check
/** With what an order is paid: kept cards, and the test provider's cards, which move no money (docs/payments.md). */
import { keptCards } from "../../shared/payment/cards.js";
import { t } from "../strings.js";

/** @import { PaymentOption } from "../../shared/payment/cards.js" */

/** @type {() => PaymentOption[]} */
const testCards = () => [
  {
    id: "test-success",
    label: t("cardSucceeds"),
    note: t("cardSucceedsNote"),
    choice: { provider: "test", token: "test_success" },
  },
  { id: "test-bank", label: t("cardBank"), note: t("cardBankNote"), choice: { provider: "test" } },
  {
    id: "test-decline",
    label: t("cardDeclines"),
    note: t("cardDeclinesNote"),
    choice: { provider: "test", token: "test_decline" },
  },
];

/** @param {AbortSignal} [signal] */
export const paymentOptions = async (signal) => [...await keptCards(signal), ...testCards()];
