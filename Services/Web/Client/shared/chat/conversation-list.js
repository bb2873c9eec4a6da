// @ts-check
/** The conversations of the user, the latest first; what has changed moves to the top. */
import { pages } from "../api.js";
import { listView, paged } from "../components/list.js";
import { avatar } from "../components/picture.js";
import { relative } from "../language.js";
import { on } from "../realtime.js";
import { link } from "../router.js";
import { user } from "../session.js";
import { h } from "../view.js";
import "./style.js";
import { t } from "./strings.js";
import { messageWords } from "./words.js";

/** @import { Conversation } from "../../../Types/api.d.ts" */
/** @import { State } from "../signals.js" */

const PAGE = 30;

/** @param {Conversation["folder"]} [folder] */
export function conversations(folder = "inbox") {
  const feed = paged((signal) => pages("GET /v1/conversations", { folder, limit: PAGE }, { signal }));
  on(["message.*", "conversation.changed", "resync"], feed.refresh);
  return feed;
}

/**
 * @param {ReturnType<typeof conversations>} feed
 * @param {{ empty: Parameters<typeof listView>[1]["empty"], photoOf?: (userID: string) => string | undefined }} options
 *   - `photoOf`: one that says more than that of the account
 */
export const conversationList = (feed, { empty, photoOf }) =>
  listView(feed, { key: (it) => it.id, label: t("messages"), empty, render: (item) => row(item, photoOf) });

/** @param {State<Conversation>} item @param {((userID: string) => string | undefined) | undefined} photoOf */
function row(item, photoOf) {
  const { id, participants: [other] } = item.get();
  const photo = (other && photoOf?.(other.userID)) ?? other?.name?.photo;
  return h(
    "a.conversation",
    { href: link(`/messages/${id}`), class: () => item.get().unreadCount > 0 ? "is-unread" : "" },
    avatar({ id: other?.userID, displayName: other?.name?.displayName, photo }),
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
}

/** @param {Conversation} conversation */
function preview({ lastMessage, isClosed }) {
  if (isClosed) return t("conversationEnded");
  if (!lastMessage) return "";
  const words = messageWords(lastMessage);
  return lastMessage.authorID === user.get()?.id && !lastMessage.isDeleted ? t("youSaid", { words }) : words;
}
