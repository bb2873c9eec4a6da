// @ts-check
import { call } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { menu } from "../../shared/components/menu.js";
import { avatar } from "../../shared/components/picture.js";
import { problemText } from "../../shared/components/states.js";
import { announce, toast } from "../../shared/components/toast.js";
import { offered } from "../../shared/features.js";
import { go, link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { chatRoom } from "../chat-room.js";
import { block } from "../parts/block.js";
import { bubbles } from "../parts/bubbles.js";
import { composer } from "../parts/composer.js";
import { presenceText } from "../parts/presence-text.js";
import { report } from "../parts/report.js";
import { completeProfile } from "../profile.js";
import { t } from "../more-strings.js";

/** @import { Conversation, Message, RoommateMatch } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load(visit) {
  await completeProfile(visit);
  const { signal, params: { id } } = visit;
  const [conversation, { items, nextCursor }, matches] = await Promise.all([
    call("GET /v1/conversations/{id}", { id }, { signal }),
    call("GET /v1/conversations/{id}/messages", { id, limit: 40 }, { signal }),
    call("GET /v1/roommates/matches", { limit: 100 }, { signal }),
  ]);
  const match = matches.items.find((it) => it.userID === conversation.participants[0]?.userID);
  return { conversation, messages: items, hasEarlier: nextCursor !== undefined, match };
}

/** @param {{ conversation: Conversation, messages: Message[], hasEarlier: boolean, match?: RoommateMatch }} data */
export default function chatScreen({ conversation, messages, hasEarlier, match }) {
  const other = conversation.participants[0];
  const name = other?.name?.displayName ?? t("someone");
  const room = chatRoom({
    conversation,
    messages,
    hasEarlier,
    onmessage: (words) => announce(t("saysNow", { name, words })),
  });
  const act = (/** @type {() => Promise<void>} */ run) => () =>
    run().catch((error) => toast(problemText(error), { kind: "error" }));
  const theirs =
    () => /** @type {Message[]} */ (room.messages.get().filter((it) =>
      it.authorID !== user.get()?.id && !it.isDeleted && it.sequence
    ));

  const actions = () => [
    ...(match
      ? [{ label: t("viewProfile"), icon: /** @type {const} */ ("person"), href: link(`/matches/${other.userID}`) }]
      : []),
    ...(theirs().length > 0
      ? [{ label: t("report"), icon: /** @type {const} */ ("flag"), run: act(() => report(conversation.id, theirs())) }]
      : []),
    ...(room.isClosed.get()
      ? [{ label: t("hideConversation"), icon: /** @type {const} */ ("trash"), run: act(hide) }]
      : [{
        label: t("block"),
        icon: /** @type {const} */ ("block"),
        isDangerous: true,
        run: act(() => block(other.userID, name)),
      }]),
  ];
  async function hide() {
    await call("DELETE /v1/conversations/{id}", { id: conversation.id });
    await go("/messages", { replace: true });
  }

  return h(
    "div.chat",
    null,
    h(
      "header.chat-header",
      null,
      h("a.button.quiet.icon-only", { href: link("/messages"), "aria-label": t("messages") }, icon("back")),
      avatar({ id: other?.userID, displayName: name, photo: match?.profile?.card.photo ?? other?.name?.photo }),
      h(
        "div.grow",
        null,
        h("h1.chat-name.truncate", null, name),
        () => !room.isClosed.get() && other && presenceText(other.userID),
      ),
      menu({ label: t("actions"), items: actions }),
    ),
    bubbles(room, name),
    () =>
      room.isClosed.get()
        ? h("p.notice.chat-closed", { role: "status" }, t("conversationEndedHint"))
        : offered("messages", () =>
          composer({ send: room.send, onTyping: room.typing, label: t("messageTo", { name }) })),
  );
}
