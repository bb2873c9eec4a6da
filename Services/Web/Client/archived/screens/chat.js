// @ts-check
import { chatView, loadChat } from "../../shared/chat/chat-view.js";
import { icon } from "../../shared/components/icon.js";
import { go, link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { cover, listingOf } from "../components/listings.js";
import { offerCard } from "../components/offer-card.js";
import { makeOffer } from "../components/offer-dialog.js";
import { t } from "../screen-strings.js";

/** @import { Listing } from "../../../Types/api.d.ts" */
/** @import { LoadedChat } from "../../shared/chat/chat-view.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { id }, signal }) {
  const chat = await loadChat(id, signal);
  const { listingID } = chat.conversation;
  return { chat, listing: listingID ? await listingOf(listingID) : null };
}

/** A conversation, with the offers made in it. @param {{ chat: LoadedChat, listing: Listing | null }} loaded */
export default function chatScreen({ chat, listing }) {
  const { id, participants: [other] } = chat.conversation;
  const canOffer = listing && listing.acceptsOffers && !listing.purchased && other?.userID === listing.ownerID;
  return chatView(chat, {
    blockMessage: () => t("blockHint"),
    onblocked: () => go("/messages", { replace: true }),
    items: other ? [{ label: t("profile"), icon: "person", href: link(`/people/${other.userID}`) }] : [],
    about: listing && aboutListing(listing),
    tools: canOffer ? offerButton(listing, id) : null,
    cardOf: ({ offer }) => offer && offerCard(offer, listing),
    sendsPictures: true,
  });
}

/** @param {Listing} listing */
const aboutListing = ({ id, cover: image, name }) =>
  h(
    "a.talk-listing",
    { href: link(`/listings/${id}`) },
    cover(image, { sizes: "48px", class: "thumb" }),
    h("span.grow", null, h("span.soft.small-text", null, t("about")), " ", h("strong", null, name)),
    icon("next"),
  );

/** @param {Listing} listing @param {string} conversation */
const offerButton = (listing, conversation) =>
  h(
    "p",
    null,
    h(
      "button.button.small",
      { type: "button", onclick: () => makeOffer(listing, conversation) },
      icon("tag"),
      t("makeOffer"),
    ),
  );
