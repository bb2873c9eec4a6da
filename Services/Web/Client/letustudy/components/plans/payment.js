// @ts-check
/** With what plans are paid: a kept card of the provider that renews them. */
import { openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { empty } from "../../../shared/components/states.js";
import { keptCards, paymentField } from "../../../shared/payment/cards.js";
import { h } from "../../../shared/view.js";
import { t } from "./strings.js";

/** @import { Field } from "../../../shared/components/form.js" */
/** @import { PaymentOption } from "../../../shared/payment/cards.js" */

/** @param {AbortSignal} [signal] */
export const planCards = async (signal) => (await keptCards(signal)).filter((it) => it.choice.provider === "stripe");

/**
 * Asks for a card and what else is needed.
 * @param {{ title: string, hint?: string, cards: PaymentOption[], fields?: Field[], submit: string,
 *   onsubmit: (values: any, attempt: { key: string }) => Promise<unknown> }} options
 */
export const payDialog = ({ title, hint, cards, fields = [], submit, onsubmit }) =>
  openDialog({
    title,
    build: (close) =>
      cards.length === 0 ? empty({ icon: "card", title: t("noCards"), message: t("noCardsHint") }) : h(
        "div.stack",
        null,
        hint && h("p.soft", null, hint),
        form({
          fields: [...fields, paymentField(cards)],
          submit,
          oncancel: () => close(),
          onsubmit: async (values, attempt) => {
            await onsubmit(values, attempt);
            close();
          },
        }),
      ),
  });
