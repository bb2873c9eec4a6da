// @ts-check
/** Shows every match once, on whatever screen the user is. The dialog is loaded with the first one. */
import { call, Problem } from "../shared/api.js";
import { on } from "../shared/realtime.js";

/** @import { RoommateMatch } from "../../Types/api.d.ts" */

/** The one whose like made the match hears of it twice: by the answer and by the event. */
const shown = new Set();

/**
 * @param {string} userID
 * @param {RoommateMatch} match
 */
export async function showMatch(userID, match) {
  if (shown.has(userID)) return;
  shown.add(userID);
  (await import("./components/match-dialog.js")).openMatch(match);
}

export function watchMatches() {
  on("roommate.matched", async ({ userID }) => {
    if (shown.has(userID)) return;
    try {
      await showMatch(userID, await call("GET /v1/roommates/matches/{userID}", { userID }));
    } catch (error) {
      // a match that has ended meanwhile
      if (!Problem.is(error)) throw error;
    }
  });
}
