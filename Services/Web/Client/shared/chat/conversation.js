// @ts-check
/** The messages of a conversation in their order, and how far each side has read; without the page. */

/** @import { Message } from "../../../Types/api.d.ts" */

/**
 * A message as it is shown: those on their way have no sequence yet.
 * @typedef {Omit<Message, "sequence"> & { sequence?: number, isFailed?: boolean }} ShownMessage
 */

/**
 * Known messages with newer versions of them and new ones; those on their way stay last.
 * @param {ShownMessage[]} known
 * @param {ShownMessage[]} others
 * @returns {ShownMessage[]}
 */
export function merge(known, others) {
  const all = new Map(known.map((it) => [it.id.toLowerCase(), it]));
  for (const it of others) all.set(it.id.toLowerCase(), it);
  return [...all.values()].sort((one, other) => (one.sequence ?? Infinity) - (other.sequence ?? Infinity) || 0);
}

/** The last sequence that is known. @param {ShownMessage[]} messages */
export const lastSequence = (messages) => messages.reduce((last, it) => Math.max(last, it.sequence ?? 0), 0);

/**
 * What stands below the user's last message.
 * @param {ShownMessage} message
 * @param {{ deliveredUpTo?: number, readUpTo?: number }} other
 * @returns {"failed" | "sending" | "sent" | "delivered" | "read"}
 */
export function deliveryOf({ sequence, isFailed }, { deliveredUpTo = 0, readUpTo = 0 }) {
  if (isFailed) return "failed";
  if (sequence === undefined) return "sending";
  if (sequence <= readUpTo) return "read";
  return sequence <= deliveredUpTo ? "delivered" : "sent";
}

/**
 * Whether a message begins a day, or follows one of the other side or of long ago.
 * @param {ShownMessage} message
 * @param {ShownMessage | undefined} before
 */
export function groupingOf(message, before) {
  const [at, earlier] = [new Date(message.sentAt), before && new Date(before.sentAt)];
  const beginsDay = !earlier || at.toDateString() !== earlier.toDateString();
  const isLater = !earlier || at.getTime() - earlier.getTime() > 5 * 60_000;
  return { beginsDay, beginsGroup: beginsDay || isLater || before?.authorID !== message.authorID };
}
