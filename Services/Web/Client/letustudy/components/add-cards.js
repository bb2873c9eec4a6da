// @ts-check
import { study } from "../study.js";
import { between } from "../sync/position.js";

/**
 * Adds cards to the end of a set; those that it has already are left out.
 * @param {string} set
 * @param {{ front: string, back: string }[]} cards
 * @returns {Promise<number>} how many were added
 */
export async function addCards(set, cards) {
  const { store, model } = study();
  const known = new Set(model.cardsOf(set).map((it) => `${it.front}\n${it.back}`));
  let [added, position] = [0, model.cardsOf(set).at(-1)?.position ?? null];
  for (const { front, back } of cards) {
    if (known.has(`${front}\n${back}`)) continue;
    known.add(`${front}\n${back}`);
    position = between(position, null);
    await store.put("cards", crypto.randomUUID(), { front, back, position }, { set });
    added++;
  }
  return added;
}
