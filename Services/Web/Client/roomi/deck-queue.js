// @ts-check
/** The cards that are still to decide on. Decisions are sent while the next card is already shown. */
import { state } from "../shared/signals.js";

/** @import { RoommateCard, RoommateSwipe } from "../../Types/api.d.ts" */
/** @typedef {"like" | "dislike"} Decision */

const FEW = 4;

/**
 * @param {{ load: () => Promise<RoommateCard[]>, swipe: (userID: string, decision: Decision) => Promise<RoommateSwipe>,
 *   undo: () => Promise<{ userID: string }> }} api
 */
export function deckQueue(api) {
  const cards = state(/** @type {RoommateCard[]} */ ([]));
  const phase = state(/** @type {"loading" | "ready" | "failed"} */ ("loading"));
  const error = state(/** @type {unknown} */ (null));
  /** Whom the user has passed on, the latest last: those who can come back. */
  const passed = state(/** @type {RoommateCard[]} */ ([]));
  /** Whoever was decided on here, for answers that are older than the decision. */
  const decided = new Set();
  let isLoading = false;
  let isOver = false;
  /** Decisions reach the platform in their order. */
  let last = Promise.resolve();

  async function load() {
    if (isLoading) return;
    isLoading = true;
    if (cards.get().length === 0) phase.set("loading");
    try {
      const found = await api.load();
      const known = new Set(cards.get().map((it) => it.userID));
      const fresh = found.filter((it) => !known.has(it.userID) && !decided.has(it.userID));
      isOver = fresh.length === 0;
      cards.update((all) => [...all, ...fresh]);
      phase.set("ready");
    } catch (reason) {
      // while there are cards, the next decision tries again
      if (cards.get().length > 0) return;
      error.set(reason);
      phase.set("failed");
    } finally {
      isLoading = false;
    }
  }

  /** Begins anew, such as after preferences have changed. */
  function reload() {
    isOver = false;
    return load();
  }

  /**
   * @param {Decision} decision
   * @returns {Promise<RoommateSwipe>} fails when it could not be sent; then the card is on top again
   */
  async function decide(decision) {
    const [card, ...rest] = cards.get();
    decided.add(card.userID);
    cards.set(rest);
    if (rest.length < FEW && !isOver) load();
    const sent = last.then(() => api.swipe(card.userID, decision));
    last = sent.then(() => {}, () => {});
    try {
      const result = await sent;
      if (decision === "dislike") passed.update((all) => [...all, card]);
      return result;
    } catch (reason) {
      putBack(card);
      throw reason;
    }
  }

  /** Brings back who was passed on last. */
  async function undo() {
    await last;
    const { userID } = await api.undo();
    const card = passed.get().find((it) => it.userID === userID);
    passed.update((all) => all.filter((it) => it.userID !== userID));
    decided.delete(userID);
    if (card) putBack(card);
    else await reload();
  }

  /** @param {RoommateCard} card */
  function putBack(card) {
    decided.delete(card.userID);
    cards.update((all) => [card, ...all.filter((it) => it.userID !== card.userID)]);
  }

  /** Someone is not to be shown any more. @param {string} userID */
  function drop(userID) {
    decided.add(userID);
    cards.update((all) => all.filter((it) => it.userID !== userID));
  }

  return { cards, phase, error, passed, load, reload, decide, undo, drop };
}
