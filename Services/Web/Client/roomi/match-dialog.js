// @ts-check
/** "It's a match": shown on both sides, once each, on whatever screen they are. */
import { call, Problem } from "../shared/api.js";
import { openDialog } from "../shared/components/dialog.js";
import { actionButton } from "../shared/components/form.js";
import { icon } from "../shared/components/icon.js";
import { picture } from "../shared/components/picture.js";
import { on } from "../shared/realtime.js";
import { h } from "../shared/view.js";
import { nameOf } from "./labels.js";
import { writeTo } from "./parts/write-to.js";
import { profile } from "./profile.js";
import { t } from "./strings.js";

/** @import { RoommateMatch } from "../../Types/api.d.ts" */

/** The one whose like made the match hears of it twice: by the answer and by the event. */
const shown = new Set();

/**
 * @param {string} userID
 * @param {RoommateMatch} match
 */
export function showMatch(userID, match) {
  if (shown.has(userID)) return;
  shown.add(userID);
  const card = match.profile?.card;
  const name = card ? nameOf(card) : match.user?.displayName ?? t("someone");
  openDialog({
    title: t("matchTitle"),
    build: (close) =>
      h(
        "div.match-dialog",
        null,
        h(
          "div.match-photos",
          { "aria-hidden": "true" },
          picture(profile.get()?.photos?.card, { alt: "", sizes: "9rem", isUrgent: true }),
          picture(card?.photo, { alt: "", sizes: "9rem", isUrgent: true }),
          h("span.match-heart", null, icon("heart")),
        ),
        h("p", { role: "status" }, t("matchText", { name })),
        h(
          "div.stack.match-actions",
          null,
          actionButton({
            label: t("messageTo", { name }),
            icon: "chat",
            class: "primary wide",
            run: async () => {
              await writeTo(userID);
              close();
            },
          }),
          h("button.button.wide", { type: "button", onclick: () => close() }, t("keepLooking")),
        ),
      ),
  });
}

export function watchMatches() {
  on("roommate.matched", async ({ userID }) => {
    if (shown.has(userID)) return;
    try {
      showMatch(userID, await call("GET /v1/roommates/matches/{userID}", { userID }));
    } catch (error) {
      // a match that has ended meanwhile
      if (!Problem.is(error)) throw error;
    }
  });
}
