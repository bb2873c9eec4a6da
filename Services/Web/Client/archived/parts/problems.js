// @ts-check
/** Refusals of auctions and offers in the words of the app, in the language of the user. */
import { Problem } from "../../shared/api.js";
import { t } from "../more-strings.js";

/** @type {Record<string, () => string>} */
const WORDS = {
  "auction-closed": () => t("problemAuctionClosed"),
  "auction-not-open": () => t("problemAuctionNotOpen"),
  "auction-running": () => t("problemAuctionRunning"),
  "below-minimum": () => t("problemBelowMinimum"),
  "bidding-suspended": () => t("problemSuspended"),
  "buy-now-not-available": () => t("problemNoBuyNow"),
  "insufficient-earnings": () => t("problemEarnings"),
  "leading-too-many": () => t("problemLeadingTooMany"),
  "listing-not-for-sale": () => t("problemNotForSale"),
  "maximum-not-raised": () => t("problemNotRaised"),
  "offer-ended": () => t("problemOfferEnded"),
  "offer-limit": () => t("problemOfferLimit"),
  "offer-out-of-bounds": () => t("problemOutOfBounds"),
  "offer-pending": () => t("problemOfferPending"),
};

/**
 * What `promise` gives; its problem says why in the words of the app.
 * @template T
 * @param {Promise<T>} promise
 */
export async function inWords(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Problem && WORDS[error.code]) error.detail = WORDS[error.code]();
    throw error;
  }
}
