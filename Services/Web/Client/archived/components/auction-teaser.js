// @ts-check
/** The running auction of a listing, on the listing's page. */
import { countdown } from "../../shared/components/countdown.js";
import { icon } from "../../shared/components/icon.js";
import { dateTime, money } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @param {import("../../../Types/api.d.ts").Auction} auction */
export const auctionTeaser = (auction) =>
  h(
    "section.card.stack.teaser",
    { "aria-labelledby": "teaser" },
    h("h2", { id: "teaser" }, t("auctionOfExclusive")),
    h(
      "div.spread",
      null,
      h(
        "div",
        null,
        h("p.soft.small-text", null, auction.price ? t("currentBid") : t("startingPrice")),
        h("p.big-price.number", null, money(auction.price ?? auction.startPrice)),
      ),
      h(
        "p.small-text",
        null,
        auction.status === "scheduled"
          ? t("opensAt", { time: dateTime(auction.opensAt) })
          : countdown(() => auction.closesAt),
      ),
    ),
    h("a.button.primary.wide", { href: link(`/auctions/${auction.id}`) }, icon("gavel"), t("enterAuction")),
  );
