// @ts-check
/** How many messages wait for the user, for the badge of the navigation. */
import { call, Problem } from "../api.js";
import { state } from "../signals.js";

export const unreadMessages = state(0);

export async function countUnread() {
  try {
    const { items } = await call("GET /v1/conversations", { limit: 100 });
    unreadMessages.set(items.reduce((sum, it) => sum + it.unreadCount, 0));
  } catch (error) {
    // a badge that is late is no failure of the page
    if (!Problem.is(error)) throw error;
  }
}
