// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { picture } from "../../shared/components/picture.js";
import { date, money } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { statusChip } from "../components/orders.js";
import { orderNumber } from "../components/number.js";
import { t } from "../strings.js";

/** @import { Order } from "../../../Types/api.d.ts" */

export default function ordersScreen() {
  const orders = paged((signal) => pages("GET /v1/orders", { limit: 20 }, { signal }));
  on(["order.*", "resync"], () => orders.reload());
  return h(
    "div.stack",
    null,
    h("header.page-header", null, h("h1", null, t("orders"))),
    listView(orders, {
      key: (it) => it.id,
      render: (order) => h("div.order-row", null, () => row(order.get())),
      label: t("orders"),
      empty: {
        icon: "list",
        title: t("noOrders"),
        message: t("noOrdersHint"),
        action: h("a.button.primary", { href: link("/shop") }, t("shopNow")),
      },
    }),
  );
}

/** @param {Order} order */
const row = (order) => [
  h(
    "span.order-pictures",
    null,
    order.lines.slice(0, 3).map((it) => picture(it.image, { alt: "", sizes: "4rem" })),
  ),
  h(
    "div.grow",
    null,
    h(
      "a.order-link",
      { href: link(`/orders/${order.id}`) },
      t("orderOf", { number: orderNumber(order) }),
    ),
    h(
      "p.soft.small-text",
      null,
      date(order.placedAt ?? order.createdAt),
      " · ",
      t("items", {
        count: order.lines.reduce((sum, it) => sum + it.quantity, 0),
      }),
    ),
  ),
  statusChip(order),
  h("span.price", null, money(order.total)),
];
