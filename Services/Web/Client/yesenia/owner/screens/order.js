// @ts-check
import { call } from "../../../shared/api.js";
import { openDialog } from "../../../shared/components/dialog.js";
import { actionButton, form } from "../../../shared/components/form.js";
import { toast } from "../../../shared/components/toast.js";
import { dateTime, money } from "../../../shared/language.js";
import { link } from "../../../shared/router.js";
import { h, state } from "../../../shared/view.js";
import { orderNumber } from "../../components/number.js";
import { moveOrder } from "../components/orders.js";
import { nextStep } from "../steps.js";
import { t } from "../strings.js";

/** @import { Order } from "../../../../Types/api.d.ts" */

/** @param {import("../../../shared/router.js").Visit} visit */
export const load = ({ params, signal }) => call("GET /v1/orders/{id}", { id: params.id }, { signal });

/** @param {Order} loaded */
export default function ownerOrderScreen(loaded) {
  const order = state(loaded);

  /** @param {NonNullable<ReturnType<typeof nextStep>>} step */
  async function move(step) {
    const moved = await moveOrder(order.get(), step);
    if (!moved) return;
    order.set(moved);
    toast(t("movedTo", { number: orderNumber(moved), step: t(step) }), { kind: "success" });
  }

  async function cancel() {
    const canceled = await openDialog({
      title: t("cancelOrder"),
      /** @param {(order?: Order) => void} close */
      build: (close) =>
        form({
          fields: [{
            name: "reason",
            label: t("reason"),
            required: true,
            hint: t("cancelHint"),
            props: { maxlength: 500 },
          }],
          submit: t("cancelOrder"),
          isDangerous: true,
          oncancel: () => close(),
          onsubmit: async (body) => close(await call("POST /v1/orders/{id}/cancel", { id: loaded.id, body })),
        }),
    });
    if (canceled) order.set(canceled);
  }

  const actions = () => {
    const current = order.get();
    const next = nextStep(current);
    const isCancelable = ["processing", "processed"].includes(current.fulfillmentStatus ?? "");
    return h(
      "p.row",
      null,
      next && actionButton({ label: t(`to-${next}`), icon: "next", class: "primary", run: () => move(next) }),
      isCancelable && actionButton({ label: t("cancelOrder"), icon: "close", class: "quiet dangerous", run: cancel }),
    );
  };
  return h(
    "article.stack",
    null,
    h(
      "header.page-header",
      null,
      h(
        "div",
        null,
        h("p.eyebrow", null, h("a", { href: link("/") }, t("orders"))),
        h("h1", null, t("orderOf", { number: orderNumber(loaded) })),
        h("p.soft", null, dateTime(loaded.placedAt ?? loaded.createdAt)),
      ),
      () => h("span.chip.is-accent", null, t(order.get().fulfillmentStatus ?? "unpaid")),
    ),
    actions,
    h(
      "div.columns",
      null,
      h(
        "div.stack",
        null,
        h("section.card", null, h("h2", null, t("lines")), lines(loaded)),
        () => history(order.get()),
      ),
      h(
        "aside.stack",
        null,
        loaded.shippingAddress && address(loaded.shippingAddress),
        () =>
          order.get().tracking &&
          h(
            "section.card",
            null,
            h("h2", null, t("parcel")),
            h("p", null, `${order.get().carrier} ${order.get().tracking}`),
          ),
      ),
    ),
  );
}

/** @param {Order} order */
const lines = ({ lines, total }) =>
  h(
    "div.table-frame",
    { tabindex: 0, role: "region", "aria-label": t("lines") },
    h(
      "table.table",
      null,
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["product", "sku", "quantity", "amount"].map((it) => h("th", { scope: "col" }, t(/** @type {any} */ (it)))),
        ),
      ),
      h(
        "tbody",
        null,
        lines.map((it) =>
          h(
            "tr",
            null,
            h("th", { scope: "row" }, it.title),
            h("td", null, it.sku ?? "–"),
            h("td", null, it.quantity),
            h("td", null, money(it.net)),
          )
        ),
      ),
      h(
        "tfoot",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "row", colspan: 3 }, t("total")),
          h("td", null, h("strong", null, money(total))),
        ),
      ),
    ),
  );

/** @param {NonNullable<Order["shippingAddress"]>} address */
const address = ({ name, street, postalCode, city, region, phone }) =>
  h(
    "section.card",
    null,
    h("h2", null, t("sendTo")),
    h(
      "address.address",
      null,
      [name, street, `${postalCode} ${city}`, region, phone].filter(Boolean).map((it) => h("span", null, it)),
    ),
  );

/** @param {Order} order */
const history = ({ changes = [] }) =>
  changes.length > 0 && h(
    "section.card",
    null,
    h("h2", null, t("history")),
    h(
      "ol.history",
      null,
      changes.filter((it) => it.axis === "fulfillment").map((it) =>
        h(
          "li",
          null,
          h("span.soft.small-text", null, dateTime(it.at)),
          " ",
          t(/** @type {any} */ (it.to)),
          it.reason && ` (${it.reason})`,
        )
      ),
    ),
  );
