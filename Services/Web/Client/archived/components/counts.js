// @ts-check
/** What the navigation counts: unread messages, and what is in the cart. */
import { call } from "../../shared/api.js";
import { countUnread } from "../../shared/chat/unread.js";
import { on } from "../../shared/realtime.js";
import { state, untracked } from "../../shared/view.js";

/** How many licenses are in the cart. */
export const inCart = state(0);

/** Loads the counts, and follows the events that change them. */
export function followCounts() {
  untracked(() => {
    countUnread();
    countCart();
  });
  on(["message.sent", "conversation.*", "resync"], countUnread);
}

export async function countCart() {
  const cart = await call("GET /v1/cart").catch(() => null);
  if (cart) inCart.set(cart.items.length);
}
