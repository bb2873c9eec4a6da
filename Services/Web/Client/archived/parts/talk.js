// @ts-check
/** The state of an open conversation, kept up to date by the events of its topic. */
import { call } from "../../shared/api.js";
import { on } from "../../shared/realtime.js";
import { user } from "../../shared/session.js";
import { onCleanUp, state } from "../../shared/view.js";
import { countUnread } from "./counts.js";
import { followed } from "./followed.js";

/** @import { Conversation, Message } from "../../../Types/api.d.ts" */
/** @typedef {ReturnType<typeof talk>} Talk */

/**
 * Messages in their order, each once: the newer version of those that are there twice.
 * @param {Message[]} known
 * @param {Message[]} more
 */
export const merged = (known, more) =>
  [...new Map([...known, ...more].map((it) => [it.id, it])).values()].sort((a, b) => a.sequence - b.sequence);

/**
 * @param {Conversation} loaded
 * @param {Message[]} first
 */
export function talk(loaded, first) {
  const { id } = loaded;
  const conversation = state(loaded);
  const messages = state(merged([], first));
  const hasEarlier = state(first.length > 0 && Math.min(...first.map((it) => it.sequence)) > 1);
  const isTyping = state(false);
  const readByOther = state(loaded.participants[0]?.readUpTo ?? 0);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typingEnd;
  let lastTyping = 0;
  onCleanUp(() => clearTimeout(typingEnd));

  const last = () => messages.get().at(-1)?.sequence ?? 0;
  const markRead = async () => {
    if (document.hidden || last() <= conversation.get().readUpTo) return;
    const markers = await call("PUT /v1/conversations/{id}/read", { id, body: { upTo: last() } }).catch(() => null);
    if (markers) conversation.update((it) => ({ ...it, ...markers }));
    countUnread();
  };
  const loadAfter = async (/** @type {number} */ after, limit = 100) => {
    const page = await call("GET /v1/conversations/{id}/messages", { id, after, limit }).catch(() => null);
    if (page) messages.update((all) => merged(all, page.items));
    markRead();
  };

  followed(`conversation:${id}`, () => loadAfter(last()));
  on("message.sent", (data) => {
    if (data.conversation !== id) return;
    isTyping.set(false);
    loadAfter(last());
  });
  on("message.changed", (data) => data.conversation === id && loadAfter(data.sequence - 1, 1));
  on("conversation.read", ({ conversation: about, user: who, upTo }) => {
    if (about === id && who !== user.get()?.id) readByOther.set(upTo);
  });
  on("conversation.typing", ({ conversation: about, user: who }) => {
    if (about !== id || who === user.get()?.id) return;
    isTyping.set(true);
    clearTimeout(typingEnd);
    typingEnd = setTimeout(() => isTyping.set(false), 6000);
  });
  on("conversation.changed", async (data) => {
    if (data.conversation !== id) return;
    const newest = await call("GET /v1/conversations/{id}", { id }).catch(() => null);
    if (newest) conversation.set(newest);
  });
  on("resync", () => void loadAfter(last()));
  document.addEventListener("visibilitychange", markRead);
  onCleanUp(() => document.removeEventListener("visibilitychange", markRead));
  markRead();

  return {
    conversation,
    messages,
    hasEarlier,
    isTyping,
    readByOther,
    async earlier() {
      const before = messages.get()[0]?.sequence;
      const page = await call("GET /v1/conversations/{id}/messages", { id, before, limit: 50 });
      messages.update((all) => merged(all, page.items));
      hasEarlier.set(page.items.length === 50);
    },
    /** @param {{ text?: string, media?: string[] }} body @param {string} messageID stays the same when it is tried again */
    async send(body, messageID) {
      const message = await call("PUT /v1/conversations/{id}/messages/{messageID}", { id, messageID, body });
      messages.update((all) => merged(all, [message]));
    },
    /** Says that the user writes, at most every four seconds. */
    typing() {
      if (Date.now() - lastTyping < 4000) return;
      lastTyping = Date.now();
      call("POST /v1/conversations/{id}/typing", { id }).catch(() => {});
    },
  };
}
