// @ts-check
import { call, pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { avatar } from "../../shared/components/picture.js";
import { relative } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { nameOf } from "../labels.js";
import { writeTo } from "../parts/write-to.js";
import { completeProfile } from "../profile.js";
import { t } from "../more-strings.js";

/** @import { Conversation, RoommateMatch } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load(visit) {
  await completeProfile(visit);
  const { items } = await call("GET /v1/roommates/matches", { limit: 100 }, { signal: visit.signal });
  return items;
}

/** Conversations, and above them the matches to whom the user has not written yet. @param {RoommateMatch[]} matches */
export default function messagesScreen(matches) {
  const feed = paged((signal) => pages("GET /v1/conversations", { limit: 30 }, { signal }));
  on(["message.*", "conversation.changed", "resync"], refreshFirst);
  const cardOf = (/** @type {string} */ id) => matches.find((it) => it.userID === id)?.profile?.card;

  /** The first page again: what has changed moves to the top. */
  async function refreshFirst() {
    const { items } = await call("GET /v1/conversations", { limit: 30 });
    const ids = new Set(items.map((it) => it.id));
    feed.items.update((all) => [...items, ...all.filter((it) => !ids.has(it.id))]);
  }
  const unwritten = () => {
    const written = new Set(feed.items.get().flatMap((it) => it.participants.map((one) => one.userID)));
    return matches.filter((it) => it.profile && !written.has(it.userID));
  };

  return h(
    "div.prose.stack",
    null,
    h("h1", null, t("messages")),
    () =>
      feed.phase.get() !== "loading" && unwritten().length > 0 &&
      h(
        "section.stack",
        null,
        h("h2.small-heading", null, t("newMatches")),
        h("ul.new-matches", { role: "list" }, unwritten().map(newMatch)),
      ),
    listView(feed, {
      key: (it) => it.id,
      label: t("messages"),
      empty: {
        icon: "chat",
        title: t("noMessages"),
        message: t(matches.length > 0 ? "noMessagesHint" : "noMatchesHint"),
        action: h(
          "a.button.primary",
          { href: link(matches.length > 0 ? "/matches" : "/") },
          t(matches.length > 0 ? "matches" : "toDeck"),
        ),
      },
      render: (item) => {
        const other = item.get().participants[0];
        const photo = other && cardOf(other.userID)?.photo;
        return h(
          "a.conversation",
          { href: link(`/messages/${item.get().id}`), class: () => item.get().unreadCount > 0 ? "is-unread" : "" },
          avatar({ id: other?.userID, displayName: other?.name?.displayName, photo: photo ?? other?.name?.photo }),
          h(
            "span.grow",
            null,
            h("strong.truncate", null, other?.name?.displayName ?? t("someone")),
            h("span.truncate.soft", null, () => preview(item.get())),
          ),
          h(
            "span.conversation-side",
            null,
            h("span.soft.small-text", null, () => relative(item.get().lastActivityAt)),
            () =>
              item.get().unreadCount > 0 &&
              h(
                "span.unread",
                null,
                item.get().unreadCount,
                h("span.visually-hidden", null, ` ${t("unread", { count: item.get().unreadCount })}`),
              ),
          ),
        );
      },
    }),
  );
}

/** @param {RoommateMatch} match */
function newMatch({ userID, profile }) {
  const card = profile?.card;
  return h(
    "li",
    null,
    h(
      "button.new-match",
      { type: "button", onclick: () => writeTo(userID) },
      avatar({ id: userID, displayName: card && nameOf(card), photo: card?.photo }, { size: "large" }),
      h("span.truncate", null, card && nameOf(card)),
    ),
  );
}

/** @param {Conversation} conversation */
function preview({ lastMessage, isClosed }) {
  if (isClosed) return t("conversationEnded");
  if (!lastMessage) return "";
  if (lastMessage.isDeleted) return t("messageDeleted");
  const words = lastMessage.text ?? t("photo");
  return lastMessage.authorID === user.get()?.id ? t("youSaid", { words }) : words;
}
