// @ts-check
/** A conversation on the screen: with whom, what was written, and where one writes. */
import { call } from "../api.js";
import { attempt } from "../components/attempt.js";
import { actionButton } from "../components/form.js";
import { icon } from "../components/icon.js";
import { menu } from "../components/menu.js";
import { avatar } from "../components/picture.js";
import { announce } from "../components/toast.js";
import { offered } from "../features.js";
import { go, link } from "../router.js";
import { user } from "../session.js";
import { h } from "../view.js";
import { block } from "./blocks.js";
import { bubbles } from "./bubbles.js";
import { composer } from "./composer.js";
import { pictureButton } from "./picture-button.js";
import { presenceText } from "./presence-text.js";
import { report } from "./report.js";
import { chatRoom } from "./room.js";
import "./style.js";
import { t } from "./strings.js";
import { countUnread } from "./unread.js";
import { messageWords } from "./words.js";

/** @import { Conversation, Message } from "../../../Types/api.d.ts" */
/** @import { MenuItem } from "../components/menu.js" */

/** @typedef {{ conversation: Conversation, messages: Message[], hasEarlier: boolean }} LoadedChat */

/** What the screen of a conversation loads. @param {string} id @param {AbortSignal} signal @returns {Promise<LoadedChat>} */
export async function loadChat(id, signal) {
  const [conversation, { items, nextCursor }] = await Promise.all([
    call("GET /v1/conversations/{id}", { id }, { signal }),
    call("GET /v1/conversations/{id}/messages", { id, limit: 40 }, { signal }),
  ]);
  return { conversation, messages: items, hasEarlier: nextCursor !== undefined };
}

/**
 * Belongs to the screen that is being built.
 * @param {LoadedChat} loaded
 * @param {{ blockMessage: (name: string) => string, onblocked: () => Promise<void>, photo?: string, items?: MenuItem[],
 *   about?: Node | null, tools?: Node | null, cardOf?: Parameters<typeof bubbles>[2], sendsPictures?: boolean }} options
 *   - `blockMessage`: what a block means in this app
 *   - `photo`: one that says more than that of the account
 *   - `items`: of the menu, before those of all conversations
 *   - `about`: below the header, and `tools`: above the field where one writes
 *   - `cardOf`: what the app shows of a message instead of its text
 */
export function chatView(loaded, options) {
  const { blockMessage, onblocked, photo, items = [], about, tools, cardOf, sendsPictures } = options;
  const { id, participants: [other] } = loaded.conversation;
  const name = other?.name?.displayName ?? t("someone");
  const onmessage = (/** @type {Message} */ it) => announce(t("saysNow", { name, words: messageWords(it) }));
  const room = chatRoom({ ...loaded, onmessage });
  const act = (/** @type {() => Promise<void>} */ run) => () => attempt(run);
  const theirs =
    () => /** @type {Message[]} */ (room.messages.get().filter((it) =>
      it.authorID !== user.get()?.id && !it.isDeleted && it.sequence
    ));

  async function hide() {
    await call("DELETE /v1/conversations/{id}", { id });
    await countUnread();
    await go("/messages", { replace: true });
  }
  const blockOther = async () => {
    if (await block(other.userID, name, blockMessage(name))) await onblocked();
  };
  /** @returns {MenuItem[]} */
  const actions = () => [
    ...items,
    ...(theirs().length > 0
      ? [{ label: t("report"), icon: /** @type {const} */ ("flag"), run: act(() => report(id, theirs())) }]
      : []),
    { label: t("hideConversation"), icon: "trash", run: act(hide) },
    ...(room.isClosed.get()
      ? []
      : [{ label: t("block"), icon: /** @type {const} */ ("block"), isDangerous: true, run: act(blockOther) }]),
  ];
  /** A stranger waits for an answer. */
  const request = () =>
    h(
      "div.notice.stack.chat-closed",
      null,
      h("p", null, t("requestHint", { name })),
      h(
        "div.row",
        null,
        actionButton({ label: t("acceptRequest"), class: "primary", icon: "check", run: room.accept }),
        actionButton({ label: t("deleteRequest"), icon: "trash", run: hide }),
      ),
    );

  return h(
    "div.chat",
    null,
    h(
      "header.chat-header",
      null,
      h("a.button.quiet.icon-only", { href: link("/messages"), "aria-label": t("messages") }, icon("back")),
      avatar({ id: other?.userID, displayName: name, photo: photo ?? other?.name?.photo }),
      h(
        "div.grow",
        null,
        h("h1.chat-name.truncate", null, name),
        () => !room.isClosed.get() && other && presenceText(other.userID),
      ),
      menu({ label: t("actions"), items: actions }),
    ),
    about,
    bubbles(room, name, cardOf),
    () =>
      room.isClosed.get()
        ? h("p.notice.chat-closed", { role: "status" }, t("conversationEndedHint"))
        : room.isRequest.get()
        ? request()
        : [
          tools,
          offered("messages", () =>
            composer({
              send: room.send,
              onTyping: room.typing,
              label: t("messageTo", { name }),
              tools: sendsPictures ? pictureButton(room.send) : undefined,
            })),
        ],
  );
}
