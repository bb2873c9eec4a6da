// @ts-check
/** Orders in words. */
import { picture } from "../../shared/components/picture.js";
import { money } from "../../shared/language.js";
import { regionName } from "../../shared/payment/region.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Order, OrderLine, PostalAddress } from "../../../Types/api.d.ts" */

const KINDS = /** @type {const} */ ({
  pendingPayment: "is-warning",
  processing: "is-accent",
  processed: "is-accent",
  shipped: "is-accent",
  delivered: "is-success",
  canceled: "",
  expired: "",
  placed: "is-accent",
});

/** The one word that says how an order is. @param {Order} order */
export const orderState = (order) => order.status === "placed" ? order.fulfillmentStatus ?? "placed" : order.status;

/** @param {Order} order */
export function statusChip(order) {
  const word = orderState(order);
  return h("span.chip", { class: KINDS[word] }, t(`status-${word}`));
}

/** @param {OrderLine[]} lines */
export const orderLines = (lines) =>
  h(
    "ul.order-lines",
    { role: "list" },
    lines.map((it) =>
      h(
        "li.order-line",
        null,
        h("div.cart-picture", null, picture(it.image, { alt: "", sizes: "5rem" })),
        h(
          "div.grow",
          null,
          h("p.cart-title", null, it.title),
          h("p.soft.small-text", null, t("timesPrice", { count: it.quantity, price: money(it.unitPrice) })),
        ),
        h("span.price", null, money({ ...it.unitPrice, amount: it.unitPrice.amount * it.quantity })),
      )
    ),
  );

/** @param {PostalAddress} address */
export const addressBlock = (address) =>
  h(
    "address.address",
    null,
    [
      address.name,
      address.street,
      `${address.postalCode} ${address.city}`,
      regionName(address.region),
      address.phone,
    ].filter(Boolean).map((it) => h("span", null, it)),
  );
