// @ts-check
import { call } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { audioPlayer } from "../../shared/components/player.js";
import { avatar } from "../../shared/components/picture.js";
import { shareButton } from "../../shared/components/share.js";
import { toast } from "../../shared/components/toast.js";
import { relative } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { link, refresh } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { auctionTeaser } from "../components/auction-teaser.js";
import { comments } from "../components/comments.js";
import { licenseOffers } from "../components/license-offers.js";
import { cover, forget, kindName, personLink, tagChips } from "../components/listings.js";
import { messageButton } from "../components/message-button.js";
import { ownerMenu } from "../components/owner-menu.js";
import { archiveButton, likeButton } from "../components/reactions.js";
import { t } from "../screen-strings.js";

/** @import { Auction, License, Listing } from "../../../Types/api.d.ts" */
/** @typedef {{ listing: Listing, auction: Auction | undefined, licenses: License[] }} Loaded */

/** @param {import("../../shared/router.js").Visit} visit @returns {Promise<Loaded>} */
export async function load({ params: { id }, signal }) {
  const [listing, auctions, licenses] = await Promise.all([
    call("GET /v1/listings/{id}", { id }, { signal }),
    call("GET /v1/auctions", { listing: id, limit: 1 }, { signal }),
    call("GET /v1/licenses", { listing: id }, { signal }),
  ]);
  return { listing, auction: auctions.items[0], licenses: licenses.items.filter((it) => it.status === "active") };
}

/** A beat or an open, with all that can be done with it. @param {Loaded} loaded */
export default function listingScreen({ listing, auction, licenses }) {
  const isOwn = listing.ownerID === user.get()?.id;
  const hasRunning = auction && ["scheduled", "open"].includes(auction.status);
  on("listing.changed", (data) => {
    if (data.listing !== listing.id) return;
    forget(listing.id);
    toast(t("listingChanged"), { action: { label: t("show"), run: refresh } });
  });
  return h(
    "article.stack.listing",
    null,
    h(
      "header.listing-hero",
      null,
      cover(listing.cover, { sizes: "(min-width: 900px) 320px, 100vw", isUrgent: true }),
      h(
        "div.stack",
        null,
        h("p.eyebrow", null, kindName(listing.kind)),
        h("h1", null, listing.name),
        h(
          "div.row",
          null,
          avatar(listing.owner, { size: "small" }),
          h("p", null, personLink(listing.owner), " ", h("span.soft.small-text", null, relative(listing.createdAt))),
          listing.purchased && h("span.chip.is-success", null, t("purchased")),
        ),
        audioPlayer({ media: listing.audio, title: listing.name, file: isOwn ? "content" : "preview" }),
        !isOwn && h("p.soft.small-text", null, t("previewHint")),
        h(
          "div.row.listing-actions",
          null,
          likeButton(listing),
          archiveButton(listing),
          shareButton({
            kind: "listing",
            id: listing.id,
            title: listing.name,
            label: t("share"),
            copied: t("linkCopied"),
            class: "quiet small",
          }),
          !isOwn && messageButton(listing.ownerID, { listing: listing.id, class: "quiet small" }),
          () => isOwn && ownerMenu(listing, hasRunning ? auction : undefined),
        ),
      ),
    ),
    h(
      "div.listing-body",
      null,
      h(
        "div.stack.listing-text",
        null,
        listing.description && h("p.prose.description", null, listing.description),
        listing.tags.length > 0 && tagChips(listing),
      ),
      h(
        "aside.stack",
        { "aria-label": t("buying") },
        hasRunning && auctionTeaser(auction),
        licenses.map(ownedNotice),
        licenseOffers(listing, { isOwn, hasAuction: Boolean(hasRunning && auction.bidCount > 0) }),
      ),
      comments(listing),
    ),
  );
}

/** @param {License} license */
const ownedNotice = (license) =>
  h(
    "a.notice.owned",
    { href: link(`/licenses/${license.id}`) },
    icon("check"),
    h("span.grow", null, t("youOwn")),
    icon("download"),
  );
