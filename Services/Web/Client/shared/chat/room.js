// @ts-check
/** A conversation as it goes on: what is sent, received, read and typed. */
import { call, Problem } from "../api.js";
import { followed } from "../followed.js";
import { on } from "../realtime.js";
import { user } from "../session.js";
import { onCleanUp, state } from "../view.js";
import { lastSequence, merge } from "./conversation.js";
import { countUnread } from "./unread.js";

/** @import { Conversation, Message } from "../../../Types/api.d.ts" */
/** @import { ShownMessage } from "./conversation.js" */

/** How long someone is shown as typing after they have typed, and how often that is said. */
const TYPING_SHOWN = 5000;
const TYPING_SAID = 2500;

/** @typedef {ReturnType<typeof chatRoom>} ChatRoom */

/**
 * Belongs to the screen that is being built, and ends with it.
 * @param {{ conversation: Conversation, messages: Message[], hasEarlier: boolean, onmessage: (message: Message) => void }} start
 */
export function chatRoom({ conversation, messages: first, hasEarlier: isMore, onmessage }) {
  const { id } = conversation;
  const me = user.get()?.id;
  const messages = state(merge([], first));
  const hasEarlier = state(isMore);
  const isClosed = state(conversation.isClosed);
  const isRequest = state(conversation.folder === "requests");
  const isTyping = state(false);
  const other = state(conversation.participants[0] ?? {});
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typingEnds;
  let saidTypingAt = 0;
  let isLeft = false;
  /** Up to here, all messages are known: one of the user's own may be known before those of the other side ahead of it. */
  let caughtUp = lastSequence(first);
  onCleanUp(() => {
    isLeft = true;
    clearTimeout(typingEnds);
  });

  /** Loads what has come since. */
  async function catchUp() {
    const { items } = await call("GET /v1/conversations/{id}/messages", { id, after: caughtUp, limit: 100 });
    caughtUp = Math.max(caughtUp, lastSequence(items));
    const newest = items.findLast((it) => it.authorID !== me);
    messages.update((known) => merge(known, items));
    if (!newest) return;
    stopTyping();
    onmessage(newest);
    await markRead();
  }

  async function markRead() {
    const upTo = caughtUp;
    if (isLeft || document.hidden || isClosed.get() || isRequest.get() || upTo === 0) return;
    await call("PUT /v1/conversations/{id}/read", { id, body: { upTo } });
    await countUnread();
  }

  async function reloadConversation() {
    const now = await call("GET /v1/conversations/{id}", { id });
    isClosed.set(now.isClosed);
    isRequest.set(now.folder === "requests");
    if (now.participants[0]) other.set(now.participants[0]);
  }

  /** @param {string} message */
  async function reloadMessage(message) {
    const known = messages.get().find((it) => it.id === message);
    if (!known?.sequence) return;
    const { items } = await call("GET /v1/conversations/{id}/messages", { id, after: known.sequence - 1, limit: 1 });
    messages.update((all) => merge(all, items));
  }

  async function loadEarlier() {
    const before = messages.get()[0]?.sequence;
    const { items, nextCursor } = await call("GET /v1/conversations/{id}/messages", { id, before, limit: 40 });
    messages.update((known) => merge(known, items));
    hasEarlier.set(nextCursor !== undefined);
  }

  /**
   * Shows the message at once. One that could not be sent stays, to try again.
   * @param {Partial<Pick<ShownMessage, "id" | "text" | "media">>} message with its `id`, when it is sent again
   */
  async function send({ id: messageID = crypto.randomUUID(), text, media = [] }) {
    saidTypingAt = 0;
    /** @type {ShownMessage} */
    const shown = {
      id: messageID,
      conversationID: id,
      authorID: me,
      kind: "text",
      text,
      media,
      reactions: [],
      sentAt: new Date().toISOString(),
      isDeleted: false,
    };
    messages.update((known) => merge(known, [shown]));
    try {
      const body = { text, ...(media.length > 0 && { media }) };
      const sent = await call("PUT /v1/conversations/{id}/messages/{messageID}", { id, messageID, body });
      messages.update((known) => merge(known, [sent]));
    } catch (error) {
      messages.update((known) => merge(known, [{ ...shown, isFailed: true }]));
      if (Problem.is(error, "conversation-closed")) isClosed.set(true);
      throw error;
    }
  }

  /** Takes the request of a stranger. */
  async function accept() {
    await call("POST /v1/conversations/{id}/accept", { id });
    await reloadConversation();
    await markRead();
  }

  /** @param {string} messageID */
  async function remove(messageID) {
    await call("DELETE /v1/conversations/{id}/messages/{messageID}", { id, messageID });
    await reloadMessage(messageID);
  }

  /** Says that the user types, now and then. */
  async function typing() {
    if (Date.now() - saidTypingAt < TYPING_SAID) return;
    saidTypingAt = Date.now();
    await quietly(() => call("POST /v1/conversations/{id}/typing", { id }));
  }

  function stopTyping() {
    clearTimeout(typingEnds);
    isTyping.set(false);
  }

  const isHere = (/** @type {{ conversation: string }} */ data) => data.conversation === id;
  followed(`conversation:${id}`, () => quietly(catchUp));
  on("message.sent", (data) => isHere(data) && quietly(catchUp));
  on("message.changed", (data) => isHere(data) && quietly(() => reloadMessage(data.message)));
  on("conversation.changed", (data) => isHere(data) && quietly(reloadConversation));
  on("conversation.typing", (data) => {
    if (!isHere(data) || data.user === me) return;
    isTyping.set(true);
    clearTimeout(typingEnds);
    typingEnds = setTimeout(stopTyping, TYPING_SHOWN);
  });
  on(["conversation.read", "conversation.delivered"], (data, name) => {
    if (!isHere(data) || data.user === me) return;
    const marker = name.endsWith("read")
      ? { readUpTo: data.upTo, deliveredUpTo: data.upTo }
      : { deliveredUpTo: data.upTo };
    other.update((known) => ({ ...known, ...marker }));
  });
  // a block takes the topic away, and says nothing else
  on("topics", ({ refused }) => {
    const isRefused = refused.some((/** @type {{ topic: string }} */ it) => it.topic === `conversation:${id}`);
    if (isRefused) quietly(reloadConversation);
  });
  on("resync", () =>
    quietly(async () => {
      await reloadConversation();
      await catchUp();
    }));
  const onVisible = () => void (document.hidden || quietly(markRead));
  document.addEventListener("visibilitychange", onVisible);
  onCleanUp(() => document.removeEventListener("visibilitychange", onVisible));
  quietly(markRead);

  return { messages, hasEarlier, isClosed, isRequest, isTyping, other, me, send, accept, remove, typing, loadEarlier };
}

/**
 * What happens by itself shows no failure: the next event tries again.
 * @param {() => Promise<unknown>} run
 */
async function quietly(run) {
  try {
    await run();
  } catch (error) {
    if (!Problem.is(error)) throw error;
  }
}
