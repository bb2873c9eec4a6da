// @ts-check
/** What there is to know about someone: why they fit, what they write, how they live. */
import { icon } from "../../shared/components/icon.js";
import { h } from "../../shared/view.js";
import { nameOf, placeText, preferenceTexts, reasonText, word } from "../labels.js";
import { t } from "../strings.js";

/** @import { RoommateCard, RoommatePreferences } from "../../../Types/api.d.ts" */

/**
 * @param {RoommateCard} card
 * @param {"h2" | "h3"} [level] of its headings
 */
export function personDetails(card, level = "h3") {
  return h(
    "div.person.stack",
    null,
    h(
      "ul.person-facts",
      { role: "list" },
      placeText(card) && fact("map", placeText(card)),
      card.school && fact("book", card.school),
      card.gender !== "undisclosed" && fact("person", word("gender", card.gender)),
    ),
    card.bio && h("p.person-bio", null, card.bio),
    card.reasons.length > 0 &&
      h(
        "section.stack",
        { "aria-label": t("whyYouFit") },
        h(level, null, t("whyYouFit")),
        h("ul.reasons", { role: "list" }, card.reasons.map((it) => h("li", null, icon("check"), reasonText(it)))),
      ),
    preferenceList(card.preferences, t("howTheyLive", { name: nameOf(card) }), level),
  );
}

/** @param {import("../../shared/components/icon.js").IconName} name @param {string} text */
const fact = (name, text) => h("li", null, icon(name), text);

/**
 * @param {RoommatePreferences} preferences
 * @param {string} title
 * @param {"h2" | "h3"} [level]
 */
export function preferenceList(preferences, title, level = "h3") {
  const texts = preferenceTexts(preferences);
  return texts.length > 0 &&
    h(
      "section.stack",
      null,
      h(level, null, title),
      h("dl.preference-list", null, texts.map((it) => h("div", null, h("dt", null, it.title), h("dd", null, it.text)))),
    );
}

/** How well both fit, from 0 to 100. @param {number | undefined} score */
export const scoreBadge = (score) =>
  score !== undefined && h("span.score", null, h("strong", null, t("score", { score })), " ", t("scoreUnit"));
