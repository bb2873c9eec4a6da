// @ts-check
/** What the navigation counts: unread conversations, and what is in the cart. */
import { call } from "../../shared/api.js";
import { on } from "../../shared/realtime.js";
import { state, untracked } from "../../shared/view.js";

/** How many conversations have unread messages. */
export const unread = state(0);

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

export async function countUnread() {
  const page = await call("GET /v1/conversations", { limit: 50 }).catch(() => null);
  if (page) unread.set(page.items.filter((it) => it.unreadCount > 0).length);
}

export async function countCart() {
  const cart = await call("GET /v1/cart").catch(() => null);
  if (cart) inCart.set(cart.items.length);
}
