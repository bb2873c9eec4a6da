// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { picture } from "../../shared/components/picture.js";
import { dateTime, money } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { chip, entry } from "../components/entry.js";
import { choice, filters } from "../components/filters.js";
import { shortID } from "../components/references.js";
import { FULFILLMENTS, ORDER_STATES, PAYMENT_TONES, PAYMENTS } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { Order } from "../../../Types/api.d.ts" */

/**
 * @param {undefined} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function ordersScreen(_, { query }) {
  const { values, element } = filters({
    query,
    onchange: () => list.reload(),
    fields: [
      choice("status", t("orderState"), ORDER_STATES),
      choice("fulfillment", t("fulfillment"), FULFILLMENTS),
    ],
  });
  const list = paged((signal) => pages("GET /v1/admin/orders", { ...values.get(), limit: 30 }, { signal }));
  return sectionPage(
    "sales",
    { title: t("orders"), intro: t("ordersIntro") },
    element,
    listView(list, {
      key: (it) => it.id,
      label: t("orders"),
      empty: { icon: "cart", title: t("noOrders"), message: t("otherFilters") },
      render: (item) => orderEntry(item.get()),
    }),
  );
}

/** @param {Order} order */
function orderEntry({ id, lines, total, status, paymentStatus, fulfillmentStatus, createdAt }) {
  const image = lines.find((it) => it.image)?.image;
  return entry({
    href: link(`/sales/orders/${id}`),
    start: h("span.order-picture", null, picture(image, { alt: "", sizes: "3rem" })),
    title: lines.map((it) => it.quantity > 1 ? `${it.quantity} × ${it.title}` : it.title).join(", "),
    details: [t("orderTitle", { number: shortID(id) }), dateTime(createdAt), money(total)],
    end: [
      status === "placed" ? chip(PAYMENTS[paymentStatus], PAYMENT_TONES[paymentStatus]) : chip(ORDER_STATES[status]),
      fulfillmentStatus && chip(FULFILLMENTS[fulfillmentStatus], fulfillmentStatus === "processing" ? "is-accent" : ""),
    ],
  });
}
