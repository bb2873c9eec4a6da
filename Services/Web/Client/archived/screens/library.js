// @ts-check
import { pages } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { tabs } from "../../shared/components/tabs.js";
import { date, money } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { cover, licenseName, listingOf } from "../components/listings.js";
import { offerState } from "../components/offer-card.js";
import { orderState } from "../components/orders.js";
import { trackRow } from "../components/track.js";
import { t } from "../screen-strings.js";

/** @import { License, Listing, Offer, Order } from "../../../Types/api.d.ts" */

/** What the user has bought, saved and offered. @param {unknown} _ @param {import("../../shared/router.js").Visit} visit */
export default function libraryScreen(_, { query }) {
  return h(
    "div.stack",
    null,
    h("header", null, h("h1", null, t("library")), h("p.soft", null, t("libraryIntro"))),
    tabs({
      label: t("library"),
      selected: ["saved", "orders", "offers"].find((it) => it === query.get("tab")),
      onselect: (id) => history.replaceState(history.state, "", link("/library", { tab: id === "licenses" ? "" : id })),
      tabs: [
        { id: "licenses", label: t("licenses"), content: licenses },
        { id: "saved", label: t("savedListings"), content: saved },
        { id: "orders", label: t("orders"), content: orders },
        { id: "offers", label: t("offers"), content: offers },
      ],
    }),
  );
}

const browse = () => h("a.button.primary", { href: link("/") }, icon("music"), t("findBeats"));

/**
 * Items with the listings that they are about.
 * @template {{ listingID: string }} T
 * @param {AsyncIterable<T[]>} source
 */
async function* withListing(source) {
  for await (const items of source) {
    yield await Promise.all(items.map(async (item) => ({ item, listing: await listingOf(item.listingID) })));
  }
}

const licenses = () =>
  listView(paged((signal) => withListing(pages("GET /v1/licenses", {}, { signal }))), {
    key: (it) => it.item.id,
    label: t("licenses"),
    render: (it) => licenseRow(it.get()),
    empty: { icon: "key", title: t("noLicenses"), message: t("noLicensesHint"), action: browse() },
  });

/** @param {{ item: License, listing: Listing | null }} row */
const licenseRow = ({ item: { id, kind, status, grantedAt, expiresAt }, listing }) =>
  h(
    "a",
    { href: link(`/licenses/${id}`) },
    cover(listing?.cover, { sizes: "64px", class: "thumb" }),
    h(
      "span.grow",
      null,
      h("strong", null, listing?.name ?? t("goneListing")),
      h("br"),
      h(
        "span.soft.small-text",
        null,
        licenseName(kind),
        " · ",
        expiresAt ? t("until", { date: date(expiresAt) }) : date(grantedAt),
      ),
    ),
    status === "active" ? icon("download") : h("span.chip", null, t(status === "expired" ? "expired" : "revoked")),
  );

const saved = () =>
  listView(paged((signal) => pages("GET /v1/archive", {}, { signal })), {
    key: (it) => it.id,
    label: t("savedListings"),
    render: trackRow,
    class: "tracks",
    empty: { icon: "archive", title: t("noSaved"), message: t("noSavedHint"), action: browse() },
  });

const orders = () =>
  listView(paged((signal) => pages("GET /v1/orders", {}, { signal })), {
    key: (it) => it.id,
    label: t("orders"),
    render: (it) => orderRow(it.get()),
    empty: { icon: "cart", title: t("noOrders"), message: t("noOrdersHint"), action: browse() },
  });

/** @param {Order} order */
const orderRow = (order) =>
  h(
    "a",
    { href: link(`/orders/${order.id}`) },
    cover(order.lines[0]?.image, { sizes: "64px", class: "thumb" }),
    h(
      "span.grow",
      null,
      h("strong", null, order.lines.map((it) => it.title).join(", ")),
      h("br"),
      h("span.soft.small-text", null, date(order.createdAt)),
    ),
    h("span.chip", { class: orderState(order).kind }, orderState(order).label),
    h("span.number", null, money(order.total)),
  );

const offers = () =>
  listView(paged((signal) => withListing(pages("GET /v1/offers", {}, { signal }))), {
    key: (it) => it.item.id,
    label: t("offers"),
    render: (it) => offerRow(it.get()),
    empty: { icon: "tag", title: t("noOffers"), message: t("noOffersHint"), action: browse() },
  });

/** @param {{ item: Offer, listing: Listing | null }} row */
const offerRow = ({ item, listing }) =>
  h(
    "a",
    { href: link(item.conversationID ? `/messages/${item.conversationID}` : `/listings/${item.listingID}`) },
    cover(listing?.cover, { sizes: "64px", class: "thumb" }),
    h(
      "span.grow",
      null,
      h("strong", null, listing?.name ?? t("goneListing")),
      h("br"),
      h(
        "span.soft.small-text",
        null,
        t(item.buyerID === user.get()?.id ? "offerMade" : "offerReceived"),
        " · ",
        licenseName(item.license),
      ),
    ),
    h("span.chip", { class: offerState(item.status).kind }, offerState(item.status).label),
    h("span.number", null, money(item.amount)),
  );
