// @ts-check
import { addressOf, call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { dateTime, money } from "../../shared/language.js";
import { paymentOptions } from "../../shared/payment/cards.js";
import { paymentPanel } from "../../shared/payment/panel.js";
import { totals } from "../../shared/payment/totals.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { effect, h, state } from "../../shared/view.js";
import { countryField } from "../components/country-field.js";
import { cover, licenseName } from "../components/listings.js";
import { orderState } from "../components/orders.js";
import { t } from "../screen-strings.js";

/** @import { License, Order, OrderLine } from "../../../Types/api.d.ts" */
/** @import { PaymentOption } from "../../shared/payment/cards.js" */
/** @import { State } from "../../shared/signals.js" */

/** @param {import("../../shared/router.js").Visit} visit @returns {Promise<[Order, PaymentOption[]]>} */
export const load = ({ params: { id }, signal }) =>
  Promise.all([call("GET /v1/orders/{id}", { id }, { signal }), paymentOptions(signal)]);

/** @param {Order} order @returns {Promise<License[]>} */
async function licensesOf({ id, status, lines }) {
  if (status !== "placed") return [];
  const found = await Promise.all(
    lines.map(({ listingID }) => listingID && call("GET /v1/licenses", { listing: listingID })),
  );
  return found.flatMap((it) => it ? it.items : []).filter((it) => it.orderID === id);
}

/** An order: paying for it, the bank's confirmation, and what was bought. @param {[Order, PaymentOption[]]} loaded */
export default function orderScreen([loaded, options]) {
  const { id } = loaded;
  const order = state(loaded);
  const licenses = state(/** @type {License[]} */ ([]));
  effect(() => void licensesOf(order.get()).then((it) => licenses.set(it), () => {}));
  const reload = async () => {
    const newest = await call("GET /v1/orders/{id}", { id });
    // the form is built again with the order, without what has been chosen in it
    if (JSON.stringify(newest) !== JSON.stringify(order.get())) order.set(newest);
  };
  on(["order.*", "resync", "topics"], (data, name) => {
    if (!name.startsWith("order.") || data.order === id) reload().catch(() => {});
  });
  return h(
    "div.stack",
    null,
    h(
      "header.spread",
      null,
      h("div", null, h("h1", null, t("order")), h("p.soft", null, dateTime(loaded.createdAt))),
      () => h("span.chip", { class: orderState(order.get()).kind }, orderState(order.get()).label),
    ),
    h(
      "div.columns",
      null,
      h(
        "div.stack",
        null,
        h(
          "ul.rows",
          { role: "list", "aria-label": t("orderLines") },
          loaded.lines.map((it) => h("li", null, line(it, licenses))),
        ),
        h("div.card", null, () => totals(order.get())),
      ),
      h("div.stack", { "aria-live": "polite" }, () => step(order, options, reload)),
    ),
  );
}

/**
 * @param {OrderLine} line
 * @param {State<License[]>} licenses
 */
const line = ({ listingID, license, title, image, gross }, licenses) =>
  h(
    "div.cart-item",
    null,
    cover(image, { sizes: "64px", class: "thumb" }),
    h(
      "span.grow",
      null,
      h("strong", null, listingID ? h("a", { href: link(`/listings/${listingID}`) }, title) : title),
      h("br"),
      license && h("span.soft.small-text", null, licenseName(license)),
    ),
    () => {
      const own = licenses.get().find((it) => it.listingID === listingID && it.kind === license);
      return own
        ? h("a.button.small", { href: link(`/licenses/${own.id}`) }, icon("download"), t("openLicense"))
        : h("span.number", null, money(gross));
    },
  );

/**
 * What is to be done next.
 * @param {State<Order>} order
 * @param {PaymentOption[]} options
 * @param {() => Promise<void>} reload
 */
function step(order, options, reload) {
  const { id, status } = order.get();
  if (status === "placed") return paid(order.get());
  if (status !== "pendingPayment") return h("p.notice", null, t("orderEnded"));
  const cancel = async () => {
    const question = { title: t("cancelOrderQuestion"), confirm: t("cancelOrder"), isDangerous: true };
    if (await confirmDialog(question)) order.set(await call("POST /v1/orders/{id}/cancel", { id, body: {} }));
  };
  return [
    paymentPanel(order, options, reload, [countryField()]),
    actionButton({ label: t("cancelOrder"), class: "quiet", run: cancel }),
  ];
}

/** @param {Order} order */
const paid = ({ id, placedAt, refunded }) =>
  h(
    "section.card.stack.paid",
    { "aria-labelledby": "paid" },
    h("div.empty-icon", null, icon("check")),
    h("h2", { id: "paid" }, t(refunded.amount > 0 ? "orderRefunded" : "thankYou")),
    h("p.soft", null, t("paidHint", { time: dateTime(placedAt ?? Date.now()) })),
    h("a.button.primary", { href: link("/library") }, icon("archive"), t("toLibrary")),
    h(
      "a.button",
      { href: addressOf("GET /v1/orders/{id}/receipt.html", { id }), target: "_blank", rel: "noopener" },
      icon("external"),
      t("receipt"),
    ),
  );
