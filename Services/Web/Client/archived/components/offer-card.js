// @ts-check
/** An offer in a conversation, with what the reader can do about it. */
import { call } from "../../shared/api.js";
import { t as chat } from "../../shared/chat/strings.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { money, relative } from "../../shared/language.js";
import { withLocalizedProblem } from "../../shared/problems.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h, state } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { licenseName } from "./listings.js";

/** @import { Listing, Offer } from "../../../Types/api.d.ts" */
/** @typedef {Pick<Offer, "status" | "amount" | "madeBy" | "expiresAt"> & { offerID: string }} Card */

/** @type {Record<Offer["status"], { label: () => string, kind: string }>} */
const STATES = {
  pending: { label: () => t("offerPending"), kind: "is-accent" },
  accepted: { label: () => t("offerAccepted"), kind: "is-success" },
  declined: { label: () => t("offerDeclined"), kind: "is-danger" },
  expired: { label: () => t("offerExpired"), kind: "" },
  retracted: { label: () => t("offerRetracted"), kind: "" },
  countered: { label: () => t("offerCountered"), kind: "" },
  supersededBySale: { label: () => t("offerSuperseded"), kind: "" },
  paymentExpired: { label: () => t("offerUnpaid"), kind: "is-danger" },
};

/** What has become of an offer, in words. @param {Offer["status"]} status */
export const offerState = (status) => ({ label: STATES[status].label(), kind: STATES[status].kind });

/**
 * @param {Card} card
 * @param {Listing | null} listing
 */
export function offerCard(card, listing) {
  const offer = state(/** @type {Offer | null} */ (null));
  const reload = () => call("GET /v1/offers/{id}", { id: card.offerID }).then((it) => offer.set(it), () => {});
  reload();
  const { label, kind } = offerState(card.status);
  return h(
    "section.card.offer",
    { "aria-label": chat("offerOf", { price: money(card.amount) }) },
    h("div.spread", null, h("p.eyebrow", null, icon("tag"), " ", t("offer")), h("span.chip", { class: kind }, label)),
    h("p.big-price.number", null, money(card.amount)),
    () => {
      const known = offer.get();
      return known &&
        h("p.soft.small-text", null, [licenseName(known.license), listing?.name].filter(Boolean).join(" · "));
    },
    () => offer.get()?.message && h("p", null, offer.get()?.message),
    card.status === "pending" && h("p.soft.small-text", null, t("expires", { time: relative(card.expiresAt) })),
    () => {
      const known = offer.get();
      return known && h("div.row", null, actions(known, reload));
    },
  );
}

/**
 * @param {Offer} offer
 * @param {() => void} reload
 */
function actions(offer, reload) {
  const { id, status, madeBy, buyerID, orderID } = offer;
  const isBuyer = buyerID === user.get()?.id;
  if (status === "accepted" && isBuyer && orderID) {
    return h("a.button.primary", { href: link(`/orders/${orderID}`) }, icon("card"), t("payNow"));
  }
  if (status !== "pending") return null;
  const then = (/** @type {() => Promise<unknown>} */ run) => () => withLocalizedProblem(run(), t).finally(reload);
  if ((madeBy === "buyer") === isBuyer) {
    return actionButton({ label: t("retract"), run: then(() => call("POST /v1/offers/{id}/retract", { id })) });
  }
  return [
    actionButton({
      label: t("accept"),
      icon: "check",
      class: "primary",
      run: then(() => call("POST /v1/offers/{id}/accept", { id })),
    }),
    !offer.isFinalOffer && actionButton({ label: t("counter"), run: () => counter(offer, reload) }),
    actionButton({
      label: t("decline"),
      class: "quiet",
      run: then(() => call("POST /v1/offers/{id}/decline", { id })),
    }),
  ];
}

/**
 * @param {Offer} offer
 * @param {() => void} reload
 */
const counter = ({ id, amount }, reload) =>
  openDialog({
    title: t("counter"),
    build: (close) =>
      form({
        fields: [
          {
            name: "amount",
            label: t("yourOffer"),
            kind: "money",
            currency: amount.currency,
            value: amount,
            required: true,
          },
          { name: "message", label: t("messageOptional"), kind: "textarea", props: { rows: 2, maxlength: 1000 } },
        ],
        submit: t("sendOffer"),
        oncancel: () => close(),
        onsubmit: async (body, { key }) => {
          await withLocalizedProblem(call("POST /v1/offers/{id}/counter", { id, body }, { key }), t);
          close();
          reload();
        },
      }),
  });
