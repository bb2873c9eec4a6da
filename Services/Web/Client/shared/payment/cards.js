// @ts-check
/** With what is paid: cards that the user keeps and those of the test provider, and the choice among them (docs/payments.md). */
import { call } from "../api.js";
import { icon } from "../components/icon.js";
import { h } from "../view.js";
import "./style.js";
import { t } from "./strings.js";

/** @import { PaymentChoice, PaymentMethod } from "../../../Types/api.d.ts" */
/** @typedef {{ id: string, label: string, note: string, choice: PaymentChoice }} PaymentOption */

/** The cards that are ready to pay. @param {AbortSignal} [signal] @returns {Promise<PaymentOption[]>} */
export async function keptCards(signal) {
  const { items } = await call("GET /v1/payment-methods", {}, { signal });
  return items.filter((it) => it.state === "ready").map(keptCard);
}

/** @param {PaymentMethod} method @returns {PaymentOption} */
export const keptCard = ({ id, provider, label, card }) => ({
  id,
  label: card ? `${card.brand.toUpperCase()} •••• ${card.lastFour}` : label,
  note: card ? t("expires", { date: `${String(card.expiryMonth).padStart(2, "0")}/${card.expiryYear}` }) : "",
  choice: { provider, paymentMethodID: id },
});

/** Those of the test provider, which move no money. */
export const testCards = () =>
  /** @type {const} */ (["success", "bank", "decline"]).map((it) => ({
    id: `test-${it}`,
    label: t(`card-${it}`),
    note: t(`card-${it}-note`),
    choice: { provider: /** @type {const} */ ("test"), token: `test_${it}` },
  }));

/** All of them. @param {AbortSignal} [signal] @returns {Promise<PaymentOption[]>} */
export const paymentOptions = async (signal) => [...await keptCards(signal), ...testCards()];

/**
 * A field of a form, whose value is the {@link PaymentChoice}.
 * @param {PaymentOption[]} options
 */
export function paymentField(options) {
  const inputs = options.map((it, index) =>
    h("input", { type: "radio", name: "payment", value: it.id, checked: index === 0 })
  );
  const element = h(
    "div.payment-options",
    null,
    options.map((it, index) =>
      h(
        "label.payment-option",
        null,
        inputs[index],
        icon("card"),
        h("span", null, h("strong", null, it.label), h("span.soft.small-text", null, it.note)),
      )
    ),
  );
  return {
    name: "payment",
    label: t("payment"),
    kind: "custom",
    element,
    read: () => options[inputs.findIndex((it) => it.checked)]?.choice,
  };
}
