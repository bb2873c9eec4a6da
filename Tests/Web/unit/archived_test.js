// @ts-check
import "./document.js";
import "./locale.js";
import assert from "node:assert/strict";
import { step } from "../../../Services/Web/Client/archived/components/bid-form.js";
import { tagsOf } from "../../../Services/Web/Client/archived/components/listing-form.js";
import { squareOf } from "../../../Services/Web/Client/archived/components/photo.js";
import { applied } from "../../../Services/Web/Client/archived/components/room.js";

/** @import { Auction, AuctionEvent, Money } from "../../../Services/Web/Types/api.d.ts" */

/** @param {number} amount @returns {Money} */
const usd = (amount) => ({ amount, currency: "USD" });

const auction = /** @type {Auction} */ ({
  status: "open",
  sequence: 4,
  leader: "bidder 1",
  isLeading: true,
  bidCount: 1,
  buyNow: usd(9000),
  extensionCount: 0,
});

const event = /** @type {AuctionEvent} */ ({
  kind: "bidPlaced",
  sequence: 5,
  price: usd(6100),
  minNextBid: usd(6200),
  bidCount: 2,
  leader: "bidder 2",
  reserveMet: false,
  closesAt: "2026-11-23T20:00:00Z",
});

Deno.test("a bid of someone else takes the lead, and ends buying at once", () => {
  const after = applied(auction, event);
  assert.deepEqual([after.price, after.isLeading, after.buyNow, after.status], [usd(6100), false, undefined, "open"]);
  assert.equal(applied(auction, { ...event, leader: "bidder 1" }).isLeading, true);
});

Deno.test("events that are older than the auction change nothing", () => {
  assert.equal(applied(auction, { ...event, sequence: 4 }), auction);
});

Deno.test("an extension keeps the auction open, and an end closes it", () => {
  assert.deepEqual([applied(auction, { ...event, kind: "extended" })].map((it) => [it.status, it.extensionCount]), [
    ["open", 1],
  ]);
  assert.equal(applied(auction, { ...event, kind: "reserveNotMet" }).status, "reserveNotMet");
});

Deno.test("suggested bids rise in round steps", () => {
  assert.deepEqual([50, 4900, 5000, 12_345, 99_999].map(step), [100, 100, 500, 1000, 5000]);
});

Deno.test("tags are separated by commas or spaces, once each, without hash signs", () => {
  assert.deepEqual(tagsOf("Lo-Fi, #soul  lo-fi"), ["lo-fi", "soul"]);
  assert.deepEqual(tagsOf(undefined), []);
});

Deno.test("the square of a photo stays within the turned picture", () => {
  const size = { width: 400, height: 200 };
  assert.deepEqual(squareOf({ quarterTurns: 0, zoom: 1, x: 0.5, y: 0.5 }, size), {
    left: 100,
    top: 0,
    width: 200,
    height: 200,
  });
  assert.deepEqual(squareOf({ quarterTurns: 1, zoom: 2, x: 1, y: 0 }, size), {
    left: 100,
    top: 0,
    width: 100,
    height: 100,
  });
});
