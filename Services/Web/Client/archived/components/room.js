// @ts-check
/** The state of an auction's room, kept up to date by the events of its topic. */
import { call } from "../../shared/api.js";
import { announce } from "../../shared/components/toast.js";
import { followed } from "../../shared/followed.js";
import { money } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { onCleanUp, state } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @import { Auction, AuctionEvent, Bid, BidReceipt } from "../../../Types/api.d.ts" */
/** @typedef {ReturnType<typeof room>} Room */

/** How long changes are gathered before the caller's own view of the auction is loaded again. */
const GATHERING = 250;

/**
 * The auction with what an event says; events that are older than it change nothing.
 * @param {Auction} auction
 * @param {AuctionEvent} event
 * @returns {Auction}
 */
export function applied(auction, { sequence, kind, price, minNextBid, bidCount, leader, reserveMet, closesAt }) {
  if (sequence <= auction.sequence) return auction;
  const ends = kind === "bidPlaced" || kind === "extended" ? auction.status : kind;
  return {
    ...auction,
    sequence,
    price,
    minNextBid,
    bidCount,
    leader,
    reserveMet,
    closesAt,
    status: ends,
    // who leads is known when the auction is loaded again; as long as the leader is the same, it is the same person
    isLeading: auction.isLeading && leader === auction.leader,
    buyNow: bidCount > 0 ? undefined : auction.buyNow,
    extensionCount: auction.extensionCount + (kind === "extended" ? 1 : 0),
  };
}

/**
 * @param {Auction} loaded
 * @param {Bid[]} first the newest bids
 */
export function room(loaded, first) {
  const { id } = loaded;
  const auction = state(loaded);
  const bids = state(first);
  const wasOutbid = state(false);
  const hasMore = state(loaded.bidCount > first.length);
  /** How the list of bids calls the caller. */
  const ownName = state(loaded.isLeading ? loaded.leader : undefined);
  const controller = new AbortController();
  const { signal } = controller;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  onCleanUp(() => {
    clearTimeout(timer);
    controller.abort();
  });

  async function reload() {
    try {
      const [newest, page] = await Promise.all([
        call("GET /v1/auctions/{id}", { id }, { signal }),
        call("GET /v1/auctions/{id}/bids", { id, limit: 50 }, { signal }),
      ]);
      if (newest.sequence >= auction.get().sequence) auction.set(newest);
      if (newest.isLeading) ownName.set(newest.leader);
      const ids = new Set(page.items.map((it) => it.id));
      bids.update((all) => [...page.items, ...all.filter((it) => !ids.has(it.id))]);
    } catch (error) {
      // what the events said stays; the next one loads it again
      if (!signal.aborted) console.info(error);
    }
  }

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(reload, GATHERING);
  };

  followed(`auction:${id}`, reload);
  on("auction.changed", (data) => {
    if (data.auction !== id) return;
    const before = auction.get();
    auction.set(applied(before, data.event));
    const { price } = auction.get();
    if (price && price.amount !== before.price?.amount) announce(t("newBid", { price: money(price) }));
    soon();
  });
  on("auction.outbid", (data) => {
    if (data.auction !== id) return;
    wasOutbid.set(true);
    auction.update((it) => ({ ...it, isLeading: false }));
  });
  on("auction.endingSoon", (data) => {
    if (data.auction === id) announce(t("endsSoon"));
  });
  on("resync", () => void reload());

  return {
    auction,
    bids,
    wasOutbid,
    ownName,
    hasMore,
    reload,
    async more() {
      const page = await call("GET /v1/auctions/{id}/bids", { id, limit: 50, cursor: bids.get().at(-1)?.id });
      bids.update((all) => [...all, ...page.items]);
      hasMore.set(page.nextCursor !== undefined);
    },
    /** @param {BidReceipt} receipt of the caller's own bid @param {Auction["ownMaximum"]} maximum */
    noted(receipt, maximum) {
      wasOutbid.set(!receipt.isLeading);
      auction.update((it) => {
        const { isLeading, price, minNextBid, reserveMet, closesAt, sequence } = receipt;
        const own = { isLeading, ownMaximum: maximum };
        return sequence < it.sequence
          ? { ...it, ...own }
          : { ...it, ...own, price, minNextBid, reserveMet, closesAt, sequence, buyNow: undefined };
      });
      soon();
    },
  };
}
