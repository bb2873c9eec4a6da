// @ts-check
import { addressOf, call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { countdown } from "../../shared/components/countdown.js";
import { icon } from "../../shared/components/icon.js";
import { dateTime, language, money } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { cover, licenseName } from "../parts/listings.js";
import { orderState } from "../parts/orders.js";
import { choiceOf, paymentField, readyMethods, regionField } from "../parts/payment.js";
import { totals } from "../parts/totals.js";
import { t } from "../more-strings.js";

/** @import { License, Order, OrderLine, PaymentMethod } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { id }, signal }) {
  const [order, methods] = await Promise.all([call("GET /v1/orders/{id}", { id }, { signal }), readyMethods(signal)]);
  return { order, methods, licenses: await licensesOf(order) };
}

/** @param {Order} order @returns {Promise<License[]>} */
async function licensesOf({ id, status, lines }) {
  if (status !== "placed") return [];
  const found = await Promise.all(
    lines.map(({ listingID }) => listingID && call("GET /v1/licenses", { listing: listingID })),
  );
  return found.flatMap((it) => it ? it.items : []).filter((it) => it.orderID === id);
}

/** An order: paying for it, the bank's confirmation, and what was bought. @param {{ order: Order, methods: PaymentMethod[], licenses: License[] }} loaded */
export default function orderScreen({ order: loaded, methods, licenses: granted }) {
  const { id } = loaded;
  const order = state(loaded);
  const licenses = state(granted);
  const show = async (/** @type {Order} */ newest) => {
    licenses.set(await licensesOf(newest));
    order.set(newest);
  };
  on(["order.*", "resync", "topics"], async (data, name) => {
    if (name.startsWith("order.") && data.order !== id) return;
    const newest = await call("GET /v1/orders/{id}", { id }).catch(() => null);
    // the form is built again with the order, without what has been chosen in it
    if (newest && JSON.stringify(newest) !== JSON.stringify(order.get())) show(newest);
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
      h("div.stack", { "aria-live": "polite" }, () => step(order.get(), methods, show)),
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
 * @param {Order} order
 * @param {PaymentMethod[]} methods
 * @param {(order: Order) => Promise<void>} show
 */
function step(order, methods, show) {
  const { id, status, payment, payBy } = order;
  if (status === "placed") return paid(order);
  if (status !== "pendingPayment") return h("p.notice", null, t("orderEnded"));
  const isAtBank = payment && ["created", "pending", "requiresAction"].includes(payment.status);
  const cancel = async () => {
    const question = { title: t("cancelOrderQuestion"), confirm: t("cancelOrder"), isDangerous: true };
    if (await confirmDialog(question)) await show(await call("POST /v1/orders/{id}/cancel", { id, body: {} }));
  };
  return [
    payBy && h("p.row", null, icon("clock"), t("payInTime"), countdown(() => payBy)),
    isAtBank ? atBank(order, show) : null,
    payment?.status === "failed" && h("p.form-failure", { role: "alert" }, icon("error"), t("paymentFailed")),
    h(
      "section.card.stack",
      { "aria-labelledby": "pay" },
      h("h2", { id: "pay" }, t(isAtBank ? "payOtherwise" : "payOrder")),
      form({
        fields: [regionField(language), paymentField(methods)],
        submit: t("pay", { price: money(order.total) }),
        onsubmit: async ({ payWith, region }, { key }) => {
          const body = { ...choiceOf(payWith, methods), region };
          await show(await call("POST /v1/orders/{id}/payments", { id, body }, { key }));
        },
      }),
      actionButton({ label: t("cancelOrder"), class: "quiet", run: cancel }),
    ),
  ];
}

/**
 * The bank wants to know whether the buyer pays; the page goes on by itself when it does.
 * @param {Order} order
 * @param {(order: Order) => Promise<void>} show
 */
function atBank({ id, payment, total }, show) {
  const check = async () => {
    if (!payment) return;
    await show(await call("POST /v1/orders/{id}/payments/{payment}/refresh", { id, payment: payment.id }));
  };
  return h(
    "section.card.stack.bank",
    { "aria-labelledby": "bank" },
    h("div.empty-icon", null, icon("shield")),
    h("h2", { id: "bank" }, t("confirmAtBank")),
    h("p", null, t("confirmAtBankHint", { price: money(total) })),
    actionButton({ label: t("haveConfirmed"), icon: "check", class: "primary", run: check }),
  );
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
