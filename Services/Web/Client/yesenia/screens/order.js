// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime } from "../../shared/language.js";
import { paymentOptions } from "../../shared/payment/cards.js";
import { paymentPanel } from "../../shared/payment/panel.js";
import { totals } from "../../shared/payment/totals.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { addressBlock, orderLines, orderState, statusChip } from "../components/orders.js";
import { orderNumber } from "../components/number.js";
import { t } from "../strings.js";

/** @import { Order } from "../../../Types/api.d.ts" */
/** @import { PaymentOption } from "../../shared/payment/cards.js" */

/** @param {import("../../shared/router.js").Visit} visit @returns {Promise<[Order, PaymentOption[]]>} */
export const load = ({ params, signal }) =>
  Promise.all([call("GET /v1/orders/{id}", { id: params.id }, { signal }), paymentOptions(signal)]);

const STEPS = /** @type {const} */ (["processing", "processed", "shipped", "delivered"]);

/** @param {[Order, PaymentOption[]]} data @param {import("../../shared/router.js").Visit} visit */
export default function orderScreen([loaded, options], { signal }) {
  const order = state(loaded);
  // the panel to pay asks often, and keeps its form while nothing has changed
  const reload = async () => {
    const newest = await call("GET /v1/orders/{id}", { id: loaded.id }, { signal });
    if (JSON.stringify(newest) !== JSON.stringify(order.get())) order.set(newest);
  };
  on(["order.*", "resync"], (data, name) => {
    if (name === "resync" || data?.order === loaded.id) reload().catch(() => {});
  });

  async function cancel() {
    const question = { title: t("cancelQuestion"), message: t("cancelHint"), confirm: t("cancelOrder") };
    if (!await confirmDialog({ ...question, isDangerous: true })) return;
    order.set(await call("POST /v1/orders/{id}/cancel", { id: loaded.id, body: {} }));
    toast(t("canceledNow"), { kind: "success" });
  }

  const isCancelable = () => ["pendingPayment", "placed", "processing", "processed"].includes(orderState(order.get()));
  return h(
    "article.stack",
    null,
    h(
      "header.page-header",
      null,
      h(
        "div",
        null,
        h("p.eyebrow", null, h("a", { href: link("/orders") }, t("orders"))),
        h("h1", null, t("orderOf", { number: orderNumber(loaded) })),
        h("p.soft", null, dateTime(loaded.placedAt ?? loaded.createdAt)),
      ),
      h("div", { "aria-live": "polite" }, () => statusChip(order.get())),
    ),
    () => order.get().status === "pendingPayment" && paymentPanel(order, options, reload),
    () => order.get().status === "placed" && progress(order.get()),
    h(
      "div.columns",
      null,
      h("section.card.stack", null, h("h2", null, t("items", { count: count(loaded) })), orderLines(loaded.lines)),
      h(
        "aside.stack",
        null,
        h(
          "section.card.stack",
          null,
          h("h2", null, t("summary")),
          () => totals(order.get(), { isShipped: true }),
          () => receiptLink(order.get()),
        ),
        loaded.shippingAddress &&
          h("section.card.stack", null, h("h2", null, t("deliveredTo")), addressBlock(loaded.shippingAddress)),
        () =>
          isCancelable() &&
          actionButton({ label: t("cancelOrder"), icon: "close", class: "quiet dangerous", run: cancel }),
      ),
    ),
  );
}

/** @param {Order} order */
const count = ({ lines }) => lines.reduce((sum, it) => sum + it.quantity, 0);

/** @param {Order} order */
const receiptLink = ({ id, placedAt }) =>
  placedAt && h("a.button.wide", { href: link(`/orders/${id}/receipt`) }, icon("download"), t("receipt"));

/** How far the parcel is. @param {Order} order */
function progress(order) {
  const reached = STEPS.findIndex((it) => it === order.fulfillmentStatus);
  if (reached < 0) return null;
  return h(
    "section.card.stack",
    { "aria-label": t("progress") },
    h(
      "ol.steps",
      { role: "list" },
      STEPS.map((step, index) =>
        h(
          "li.step",
          { class: { "is-done": index <= reached }, "aria-current": index === reached ? "step" : null },
          h("span.step-mark", { "aria-hidden": "true" }, index <= reached ? icon("check") : index + 1),
          h("span", null, t(`status-${step}`)),
        )
      ),
    ),
    order.tracking && h(
      "p.row",
      null,
      icon("send"),
      t("trackingOf", {
        carrier: order.carrier ?? "",
        number: order.tracking,
      }),
    ),
  );
}
