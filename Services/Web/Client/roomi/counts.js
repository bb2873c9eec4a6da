// @ts-check
/** What waits for the user, for the badges of the navigation: likes to answer and unread messages. */
import { call, Problem } from "../shared/api.js";
import { countUnread } from "../shared/chat/unread.js";
import { on } from "../shared/realtime.js";
import { user } from "../shared/session.js";
import { effect, state, untracked } from "../shared/view.js";
import { hasProfile } from "./profile.js";

export const newLikes = state(0);

const counted = {
  likes: async () => newLikes.set((await call("GET /v1/roommates/likes", { limit: 100 })).items.length),
  messages: countUnread,
};

/** @param {...keyof typeof counted} what */
export async function countAgain(...what) {
  if (!user.get() || !hasProfile()) return;
  await Promise.all(what.map((it) => counted[it]())).catch((error) => {
    // a badge that is late is no failure of the page
    if (!Problem.is(error)) throw error;
  });
}

export function watchCounts() {
  effect(() => {
    if (user.get() && hasProfile()) untracked(() => countAgain("likes", "messages"));
  });
  on("message.sent", ({ author }) => author !== user.get()?.id && countAgain("messages"));
  on(["roommate.matched", "resync"], () => countAgain("likes", "messages"));
}
