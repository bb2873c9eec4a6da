// @ts-check
/** A listing in a feed: as a row, and as a card. */
import { audioPlayer } from "../../shared/components/player.js";
import { icon } from "../../shared/components/icon.js";
import { money, number } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { coverLink, personLink } from "./listings.js";
import { archiveButton, likeButton } from "./reactions.js";

/** @import { ListingSummary } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** What it costs, or what else there is to know before buying. @param {ListingSummary} listing */
export const priceTag = ({ price, openForBids, purchased }) =>
  purchased ? h("span.chip", null, t("soldOut")) : h(
    "span.price-tag",
    null,
    openForBids && h("span.chip.is-accent", null, icon("gavel"), t("onAuction")),
    h("span.price", null, price.amount === 0 ? t("free") : t("priceFrom", { price: money(price) })),
  );

/** @param {ListingSummary} listing */
const heading = (listing) =>
  h(
    "div.track-head",
    null,
    h("h2.track-title", null, h("a", { href: link(`/listings/${listing.id}`) }, listing.name)),
    h("p.soft.small-text", null, personLink(listing.owner)),
  );

/** @param {ListingSummary} listing */
const counters = (listing) =>
  h(
    "div.track-counters",
    null,
    likeButton(listing),
    h(
      "a.button.quiet.small",
      {
        href: link(`/listings/${listing.id}`) + "#comments",
        "aria-label": t("comments", { count: listing.commentCount }),
      },
      icon("chat"),
      number(listing.commentCount),
    ),
    archiveButton(listing),
  );

/** @param {State<ListingSummary>} item */
export function trackRow(item) {
  const listing = item.get();
  return h(
    "article.track",
    null,
    coverLink(listing, "80px"),
    heading(listing),
    h("div.track-player", null, audioPlayer({ media: listing.audio, title: listing.name })),
    h("div.track-price", null, priceTag(listing)),
    counters(listing),
  );
}

/** @param {State<ListingSummary>} item */
export function trackCard(item) {
  const listing = item.get();
  return h(
    "article.track-card",
    null,
    coverLink(listing, "(min-width: 900px) 300px, 100vw"),
    h(
      "div.track-card-body",
      null,
      h("div.spread", null, heading(listing), priceTag(listing)),
      audioPlayer({ media: listing.audio, title: listing.name }),
      counters(listing),
    ),
  );
}
