// @ts-check
import { addressOf, call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime, money } from "../../shared/language.js";
import { hasRole } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { chip, facts } from "../components/entry.js";
import { personLink } from "../components/people.js";
import { shortID } from "../components/references.js";
import { refundForm } from "../components/refund-form.js";
import { FULFILLMENTS, ORDER_STATES, PAYMENT_TONES, PAYMENTS, REFUND_STATES, REFUND_TONES } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { Order, OrderChange, Refund } from "../../../Types/api.d.ts" */

/** @param {Pick<import("../../shared/router.js").Visit, "params" | "signal">} visit */
export async function load({ params: { id }, signal }) {
  const [order, refunds] = await Promise.all([
    call("GET /v1/orders/{id}", { id }, { signal }),
    call("GET /v1/orders/{id}/refunds", { id, limit: 100 }, { signal }),
  ]);
  return { order, refunds: refunds.items };
}

/**
 * @param {Awaited<ReturnType<typeof load>>} loaded
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function orderScreen(loaded, visit) {
  const { id } = loaded.order;
  const current = state(loaded);
  const mayPay = hasRole("owner", "administrator");
  const reload = async () => current.set(await load(visit));

  const refund = () =>
    openDialog({
      title: t("refund"),
      build: (close) =>
        refundForm({
          order: current.get().order,
          oncancel: () => close(),
          onrefund: async (body, key) => {
            await call("POST /v1/orders/{id}/refunds", { id, body }, { key });
            await reload();
            close();
            toast(t("refundBegun"), { kind: "success" });
          },
        }),
    });

  const cancel = () =>
    openDialog({
      title: t("cancelOrder"),
      build: (close) =>
        h(
          "div.stack",
          null,
          h("p", null, t("cancelHint")),
          form({
            fields: [{ name: "reason", label: t("reason"), required: true, props: { maxlength: 120 } }],
            submit: t("cancelOrder"),
            isDangerous: true,
            oncancel: () => close(),
            onsubmit: async (body) => {
              await call("POST /v1/orders/{id}/cancel", { id, body });
              await reload();
              close();
            },
          }),
        ),
    });

  const move = () =>
    openDialog({
      title: t("fulfillment"),
      build: (close) =>
        form({
          fields: [
            {
              name: "status",
              label: t("fulfillment"),
              kind: "select",
              value: current.get().order.fulfillmentStatus,
              options: Object.entries(FULFILLMENTS).map(([value, label]) => ({ value, label })),
            },
            { name: "carrier", label: t("carrier"), value: current.get().order.carrier },
            { name: "tracking", label: t("tracking"), value: current.get().order.tracking },
          ],
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async (body) => {
            await call("PATCH /v1/orders/{id}", { id, body }, { version: current.get().order.version });
            await reload();
            close();
            toast(t("saved"), { kind: "success" });
          },
        }),
    });

  const actions = () => {
    const { status, paymentStatus, fulfillmentStatus } = current.get().order;
    const isPaid = paymentStatus === "paid" || paymentStatus === "partiallyRefunded";
    return h(
      "div.row",
      null,
      status === "placed" && h(
        "a.button",
        { href: addressOf("GET /v1/orders/{id}/receipt.html", { id }), target: "_blank" },
        icon("external"),
        t("receipt"),
      ),
      mayPay && fulfillmentStatus && actionButton({ label: t("fulfillment"), icon: "shop", run: move }),
      mayPay && isPaid && actionButton({ label: t("refund"), icon: "refresh", class: "primary", run: refund }),
      mayPay && (status === "pendingPayment" || fulfillmentStatus === "processing") &&
        actionButton({ label: t("cancelOrder"), icon: "close", class: "dangerous", run: cancel }),
    );
  };

  return sectionPage(
    "sales",
    { title: t("orderTitle", { number: shortID(id) }) },
    actions,
    () =>
      h(
        "div.columns",
        null,
        h("div.stack", null, linesCard(current.get().order), refundsCard(current.get().refunds)),
        h("div.stack", null, factsCard(current.get().order), changesCard(current.get().order.changes ?? [])),
      ),
  );
}

/** @param {Order} order */
function linesCard({ lines, subtotal, shipping, tax, credit, total, refunded }) {
  /**
   * @param {string} label
   * @param {Order["total"]} amount
   * @param {string} [kind]
   */
  const sum = (label, amount, kind = "") =>
    h("tr", { class: kind }, h("th", { scope: "row", colspan: 2 }, label), h("td.number", null, money(amount)));
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("lines")),
    h(
      "table.order-lines",
      null,
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, t("article")),
          h("th", { scope: "col" }, t("quantity")),
          h("th", { scope: "col" }, t("sum")),
        ),
      ),
      h(
        "tbody",
        null,
        lines.map((line) =>
          h(
            "tr",
            null,
            h(
              "td",
              null,
              line.title,
              h("span.entry-details", null, [
                line.sku && h("span", null, line.sku),
                line.fulfillmentStatus && h("span", null, FULFILLMENTS[line.fulfillmentStatus]),
                line.returned.amount > 0 && h("span", null, t("returned", { amount: money(line.returned) })),
              ]),
            ),
            h("td.number", null, String(line.quantity)),
            h("td.number", null, money(line.gross)),
          )
        ),
      ),
      h(
        "tfoot",
        null,
        sum(t("subtotal"), subtotal),
        shipping.amount > 0 && sum(t("shipping"), shipping),
        tax.amount > 0 && sum(t("tax"), tax),
        credit.amount > 0 && sum(t("creditUsed"), credit),
        sum(t("total"), total, "total"),
        refunded.amount > 0 && sum(t("refunded"), refunded),
      ),
    ),
  );
}

/** @param {Refund[]} refunds */
function refundsCard(refunds) {
  if (refunds.length === 0) return null;
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("refunds")),
    h(
      "ul.timeline",
      { role: "list" },
      refunds.map((it) =>
        h(
          "li",
          null,
          h(
            "p.row",
            null,
            h("strong", null, money(it.amount)),
            chip(REFUND_STATES[it.status], REFUND_TONES[it.status]),
          ),
          h(
            "p.soft",
            null,
            [dateTime(it.createdAt), it.toCredit && t("toCredit"), it.reason].filter(Boolean).join(" · "),
          ),
          it.failure && h("p", null, it.failure),
        )
      ),
    ),
  );
}

/** @param {Order} order */
function factsCard(order) {
  const { shippingAddress: to, payment } = order;
  return h(
    "section.card.stack",
    null,
    h("div.row", null, [
      chip(ORDER_STATES[order.status]),
      chip(PAYMENTS[order.paymentStatus], PAYMENT_TONES[order.paymentStatus]),
      order.fulfillmentStatus && chip(FULFILLMENTS[order.fulfillmentStatus]),
    ]),
    facts([
      [t("buyer"), order.ownerID && personLink(order.ownerID)],
      [t("ordered"), dateTime(order.placedAt ?? order.createdAt)],
      [
        t("paidWith"),
        payment && { test: t("providerTest"), stripe: "Stripe", storekit: "App Store" }[payment.provider],
      ],
      [t("shipTo"), to && [to.name, to.street, `${to.postalCode} ${to.city}`, to.region].join(", ")],
      [t("carrier"), order.carrier],
      [t("tracking"), order.tracking],
    ]),
  );
}

/** @param {OrderChange[]} changes */
function changesCard(changes) {
  if (changes.length === 0) return null;
  /** @type {Record<string, string>} */
  const names = { ...FULFILLMENTS, ...ORDER_STATES, ...PAYMENTS };
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("history")),
    h(
      "ol.timeline",
      { role: "list" },
      changes.map((it) =>
        h(
          "li",
          null,
          h("p", null, [it.from, it.to].filter(Boolean).map((value) => names[value ?? ""] ?? value).join(" → ")),
          h("p.soft", null, [dateTime(it.at), it.reason].filter(Boolean).join(" · ")),
        )
      ),
    ),
  );
}
