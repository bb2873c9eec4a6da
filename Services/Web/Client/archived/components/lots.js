// @ts-check
/** Auctions with their listings, as cards. */
import { call } from "../../shared/api.js";
import { countdown } from "../../shared/components/countdown.js";
import { icon } from "../../shared/components/icon.js";
import { money } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { cover, listingOf, personName } from "./listings.js";

/** @import { Auction, Listing, Operations } from "../../../Types/api.d.ts" */
/** @typedef {{ auction: Auction, listing: Listing | null }} Lot */

/** @param {Auction[]} auctions */
export const withListings = (auctions) =>
  Promise.all(auctions.map(async (auction) => ({ auction, listing: await listingOf(auction.listingID) })));

/**
 * @param {Operations["GET /v1/auctions"]["args"]} wanted
 * @param {AbortSignal} signal
 */
export async function loadLots(wanted, signal) {
  return withListings((await call("GET /v1/auctions", wanted, { signal })).items);
}

/** @type {Record<Auction["status"], () => string>} */
const STATES = {
  scheduled: () => t("auctionScheduled"),
  open: () => t("auctionOpen"),
  sold: () => t("auctionSold"),
  reserveNotMet: () => t("auctionReserveNotMet"),
  noBids: () => t("auctionNoBids"),
  canceled: () => t("auctionCanceled"),
  unpaid: () => t("auctionUnpaid"),
};

/** @param {Auction} auction */
export const auctionState = ({ status }) => STATES[status]();

/** @param {Lot} lot */
export const lotCard = ({ auction, listing }) =>
  h(
    "a.lot",
    { href: link(`/auctions/${auction.id}`) },
    cover(listing?.cover, { sizes: "112px" }),
    h(
      "span.lot-text",
      null,
      h("span.lot-name", null, listing?.name ?? t("goneListing")),
      h("span.soft.small-text", null, personName(listing?.owner)),
      h("span.lot-price.number", null, money(auction.price ?? auction.startPrice)),
      h(
        "span.lot-state.small-text",
        null,
        auction.status === "open" ? [icon("clock"), countdown(() => auction.closesAt)] : auctionState(auction),
      ),
      auction.isLeading && h("span.chip.is-success", null, t("youLead")),
    ),
  );
