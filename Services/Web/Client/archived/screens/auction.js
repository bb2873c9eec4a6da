// @ts-check
import { call } from "../../shared/api.js";
import { countdown } from "../../shared/components/countdown.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { audioPlayer } from "../../shared/components/player.js";
import { dateTime, money, time } from "../../shared/language.js";
import { isLive } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { computed, each, effect, h, state } from "../../shared/view.js";
import { auctionActions } from "../components/auction-actions.js";
import { bidForm } from "../components/bid-form.js";
import { auctionState } from "../components/lots.js";
import { cover, listingOf, personLink } from "../components/listings.js";
import { room } from "../components/room.js";
import { t } from "../screen-strings.js";

/** @import { Auction, Bid, Listing } from "../../../Types/api.d.ts" */
/** @import { Room } from "../components/room.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { id }, signal }) {
  const [auction, bids] = await Promise.all([
    call("GET /v1/auctions/{id}", { id }, { signal }),
    call("GET /v1/auctions/{id}/bids", { id, limit: 50 }, { signal }),
  ]);
  return { auction, bids: bids.items, listing: await listingOf(auction.listingID) };
}

/** Where an auction takes place: price, time and bids as they change. @param {{ auction: Auction, bids: Bid[], listing: Listing | null }} loaded */
export default function auctionScreen({ auction: loaded, bids, listing }) {
  const live = room(loaded, bids);
  const isSeller = loaded.sellerID === user.get()?.id;
  // the form stays, with what has been typed, while bids of others arrive
  const canBid = computed(() => live.auction.get().status === "open" && !isSeller);
  return h(
    "div.room",
    null,
    h(
      "div.stack.room-lot",
      null,
      h(
        "header.room-head",
        null,
        cover(listing?.cover, { sizes: "160px", isUrgent: true }),
        h(
          "div.stack",
          null,
          h("p.eyebrow", null, t("auctionOfExclusive")),
          h("h1", null, listing ? h("a", { href: link(`/listings/${listing.id}`) }, listing.name) : t("goneListing")),
          h("p", null, personLink(listing?.owner)),
        ),
      ),
      listing && audioPlayer({ media: listing.audio, title: listing.name, file: isSeller ? "content" : "preview" }),
    ),
    h(
      "aside.card.stack.bidding",
      { "aria-label": t("bidding") },
      head(live),
      () => notice(live),
      () => canBid.get() && bidForm(live),
      auctionActions(live, isSeller),
    ),
    bidHistory(live),
  );
}

/** @param {Room} live */
function head({ auction, reload }) {
  const wasLive = state(false);
  effect(() => {
    if (isLive.get()) wasLive.set(true);
  });
  return h(
    "div.stack.bidding-head",
    null,
    h(
      "div.spread",
      null,
      h("p.soft.small-text", null, () => t(auction.get().price ? "currentBid" : "startingPrice")),
      () => h("span.chip", { class: auction.get().status === "open" ? "is-success" : "" }, auctionState(auction.get())),
    ),
    h(
      "p.huge-price.number",
      { "aria-live": "polite", "data-price": () => (auction.get().price ?? auction.get().startPrice).amount },
      () => money(auction.get().price ?? auction.get().startPrice),
    ),
    h(
      "div.row.small-text",
      null,
      () => {
        const { status, opensAt, closesAt } = auction.get();
        if (status === "scheduled") return h("span", null, icon("clock"), t("opensAt", { time: dateTime(opensAt) }));
        if (status !== "open") return h("span.soft", null, t("endedAt", { time: dateTime(closesAt) }));
        return h("span.clock", null, icon("clock"), countdown(() => auction.get().closesAt, { onend: reload }));
      },
      () =>
        auction.get().extensionCount > 0 && auction.get().status === "open" &&
        h("span.chip.is-accent", null, t("extended")),
      () => wasLive.get() && !isLive.get() && h("span.chip.is-warning", { role: "status" }, t("reconnecting")),
      () =>
        auction.get().hasReserve &&
        h(
          "span.chip",
          { class: auction.get().reserveMet ? "is-success" : "is-warning" },
          t(
            auction.get().reserveMet ? "reserveMet" : "reserveNotYetMet",
          ),
        ),
    ),
  );
}

/** What the caller has to know first. @param {Room} live */
function notice({ auction, wasOutbid }) {
  const { status, isLeading, ownMaximum, orderID } = auction.get();
  if (status === "sold" && isLeading) {
    return h(
      "div.notice.stack.is-won",
      { role: "status" },
      h("p", null, icon("star"), " ", h("strong", null, t("youWon"))),
      orderID && h("a.button.primary", { href: link(`/orders/${orderID}`) }, icon("card"), t("payNow")),
    );
  }
  if (status !== "open") return null;
  if (isLeading) {
    return h(
      "p.notice.is-leading",
      { role: "status" },
      icon("check"),
      ownMaximum ? t("leadingUpTo", { price: money(ownMaximum) }) : t("youLead"),
    );
  }
  if (wasOutbid.get() || ownMaximum) {
    return h("p.notice.is-outbid", { role: "alert" }, icon("error"), t("youAreOutbid"));
  }
  return null;
}

/** @param {Room} live */
const bidHistory = ({ bids, auction, ownName, hasMore, more }) =>
  h(
    "section.stack.room-bids",
    { "aria-labelledby": "bids" },
    h("h2", { id: "bids" }, () => t("bidCount", { count: auction.get().bidCount })),
    () => bids.get().length === 0 && h("p.soft", null, t("noBidsHere")),
    h(
      "ol.rows.bids",
      { role: "list", "aria-label": t("bidList"), hidden: () => bids.get().length === 0 },
      each(bids, (it) => it.id, (it) =>
        h(
          "li",
          null,
          h(
            "div",
            { class: () => bids.get()[0]?.id === it.get().id ? "is-highest" : "" },
            h("span.bidder", { "aria-hidden": "true" }, icon("gavel")),
            h("span.grow", null, () => ownName.get() === it.get().bidder ? t("you") : bidderName(it.get().bidder)),
            h("time.soft.small-text", { datetime: it.get().at }, time(it.get().at)),
            h("strong.number", null, () => money(it.get().price)),
          ),
        )),
    ),
    () => hasMore.get() && actionButton({ label: t("earlierBids"), run: more }),
  );

/** The platform calls bidders "bidder 1", "bidder 2". @param {string} name */
const bidderName = (name) => t("bidder", { number: name.replace(/\D/g, "") });
