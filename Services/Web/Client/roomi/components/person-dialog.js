// @ts-check
import { openDialog } from "../../shared/components/dialog.js";
import { picture } from "../../shared/components/picture.js";
import { h } from "../../shared/view.js";
import { nameAndAge } from "../labels.js";
import { decisionButtons } from "./decision-buttons.js";
import { personDetails, scoreBadge } from "./person.js";

/** @import { RoommateCard } from "../../../Types/api.d.ts" */
/** @typedef {import("../deck-queue.js").Decision} Decision */

/**
 * All about someone, with a decision if `canDecide`.
 * @param {RoommateCard} card
 * @param {{ canDecide?: boolean }} [options]
 * @returns {Promise<Decision | undefined>}
 */
export function openPerson(card, { canDecide = true } = {}) {
  return openDialog({
    title: nameAndAge(card),
    size: "large",
    build: (/** @type {(decision?: Decision) => void} */ close) =>
      h(
        "div.person-sheet",
        // what there is to know comes before the decision
        { tabindex: -1, "data-focus": true },
        h(
          "div.person-photo",
          null,
          picture(card.photo, { alt: nameAndAge(card), ratio: "3 / 4", sizes: "(min-width: 50rem) 22rem, 90vw" }),
          scoreBadge(card.score),
        ),
        h("div.stack", null, personDetails(card), canDecide && decisionButtons({ decide: close })),
      ),
  });
}
