// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { menu } from "../../shared/components/menu.js";
import { avatar } from "../../shared/components/picture.js";
import { problemText } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { offered } from "../../shared/features.js";
import { go, link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { composer } from "../parts/composer.js";
import { countUnread } from "../parts/counts.js";
import { cover, listingOf, personName } from "../parts/listings.js";
import { messageList } from "../parts/message-list.js";
import { makeOffer } from "../parts/offer-dialog.js";
import { report } from "../parts/report.js";
import { talk } from "../parts/talk.js";
import { t } from "../more-strings.js";

/** @import { Conversation, Listing, Message } from "../../../Types/api.d.ts" */
/** @import { Talk } from "../parts/talk.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { id }, signal }) {
  const [conversation, messages] = await Promise.all([
    call("GET /v1/conversations/{id}", { id }, { signal }),
    call("GET /v1/conversations/{id}/messages", { id, limit: 50 }, { signal }),
  ]);
  const listing = conversation.listingID ? await listingOf(conversation.listingID) : null;
  return { conversation, messages: messages.items, listing };
}

/** A conversation, with the offers made in it. @param {{ conversation: Conversation, messages: Message[], listing: Listing | null }} loaded */
export default function conversationScreen({ conversation, messages, listing }) {
  const live = talk(conversation, messages);
  const other = conversation.participants[0];
  const canOffer = listing && listing.acceptsOffers && !listing.purchased && other?.userID === listing.ownerID;
  return h(
    "div.conversation",
    null,
    h(
      "header.talk-header",
      null,
      h("a.button.quiet.icon-only", { href: link("/inbox"), "aria-label": t("backToInbox") }, icon("back")),
      avatar(other?.name, { size: "small" }),
      h(
        "div.grow",
        null,
        h(
          "h1.talk-title",
          null,
          other ? h("a", { href: link(`/people/${other.userID}`) }, personName(other.name)) : t("someone"),
        ),
        h(
          "p.soft.small-text",
          { role: "status" },
          () => live.isTyping.get() ? t("typing") : live.conversation.get().isActive ? t("activeNow") : "",
        ),
      ),
      talkMenu(live, other?.userID),
    ),
    listing &&
      h(
        "a.talk-listing",
        { href: link(`/listings/${listing.id}`) },
        cover(listing.cover, { sizes: "48px", class: "thumb" }),
        h("span.grow", null, h("span.soft.small-text", null, t("about")), " ", h("strong", null, listing.name)),
        icon("next"),
      ),
    messageList(live, listing),
    () => foot(live, canOffer ? listing : null),
  );
}

/**
 * @param {Talk} live
 * @param {Listing | null} listing for which an offer can be made
 */
function foot(live, listing) {
  const { id, folder, isClosed } = live.conversation.get();
  if (isClosed) return h("p.notice", null, t("conversationClosed"));
  if (folder === "requests") {
    const accept = async () => live.conversation.set(await call("POST /v1/conversations/{id}/accept", { id }));
    return h(
      "div.notice.stack",
      null,
      h("p", null, t("requestHint")),
      h(
        "div.row",
        null,
        actionButton({ label: t("acceptRequest"), class: "primary", icon: "check", run: accept }),
        actionButton({ label: t("deleteRequest"), icon: "trash", run: () => hide(id) }),
      ),
    );
  }
  return h(
    "div.talk-foot",
    null,
    listing &&
      h("button.button.small", { type: "button", onclick: () => makeOffer(listing, id) }, icon("tag"), t("makeOffer")),
    offered("messages", () => composer(live)),
  );
}

/** @param {string} id */
async function hide(id) {
  await call("DELETE /v1/conversations/{id}", { id });
  countUnread();
  await go("/inbox", { replace: true });
}

/**
 * @param {Talk} live
 * @param {string | undefined} userID
 */
function talkMenu(live, userID) {
  const { id } = live.conversation.get();
  const attempt = (/** @type {() => Promise<unknown>} */ run) => () =>
    void run().catch((error) => toast(problemText(error), { kind: "error" }));
  const block = async () => {
    if (!userID) return;
    const question = { title: t("blockQuestion"), message: t("blockHint"), confirm: t("block"), isDangerous: true };
    if (!await confirmDialog(question)) return;
    await call("PUT /v1/blocks/{userID}", { userID });
    await go("/inbox", { replace: true });
  };
  return menu({
    label: t("moreActions"),
    items: () => [
      { label: t("hideConversation"), icon: "archive", run: attempt(() => hide(id)) },
      { label: t("report"), icon: "flag", run: attempt(() => report(live)) },
      { label: t("block"), icon: "block", run: attempt(block), isDangerous: true },
    ],
  });
}
