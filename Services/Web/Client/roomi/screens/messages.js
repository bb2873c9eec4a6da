// @ts-check
import { call } from "../../shared/api.js";
import { conversationList, conversations } from "../../shared/chat/conversation-list.js";
import { t as chat } from "../../shared/chat/strings.js";
import { writeTo } from "../../shared/chat/write-to.js";
import { avatar } from "../../shared/components/picture.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { nameOf } from "../labels.js";
import { completeProfile } from "../profile.js";
import { t } from "../screen-strings.js";

/** @import { RoommateMatch } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load(visit) {
  await completeProfile(visit);
  const { items } = await call("GET /v1/roommates/matches", { limit: 100 }, { signal: visit.signal });
  return items;
}

/** Conversations, and above them the matches to whom the user has not written yet. @param {RoommateMatch[]} matches */
export default function messagesScreen(matches) {
  const feed = conversations();
  const cardOf = (/** @type {string} */ id) => matches.find((it) => it.userID === id)?.profile?.card;
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
    conversationList(feed, {
      photoOf: (id) => cardOf(id)?.photo,
      empty: {
        icon: "chat",
        title: chat("noMessages"),
        message: t(matches.length > 0 ? "noMessagesHint" : "noMatchesHint"),
        action: h(
          "a.button.primary",
          { href: link(matches.length > 0 ? "/matches" : "/") },
          t(matches.length > 0 ? "matches" : "toDeck"),
        ),
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
