// @ts-check
import { call, Problem } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { empty, failure, problemText, skeleton } from "../../shared/components/states.js";
import { announce, toast } from "../../shared/components/toast.js";
import { link } from "../../shared/router.js";
import { each, h, onCleanUp, untracked } from "../../shared/view.js";
import { countAgain } from "../counts.js";
import { deckQueue } from "../deck-queue.js";
import { nameAndAge, nameOf, placeText, reasonText } from "../labels.js";
import { showMatch } from "../match-news.js";
import { cardFace } from "../components/card-face.js";
import { decisionButtons } from "../components/decision-buttons.js";
import { draggable } from "../components/drag.js";
import { personDetails, scoreBadge } from "../components/person.js";
import { completeProfile } from "../profile.js";
import { t } from "../strings.js";

/** @import { RoommateCard } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */
/** @typedef {import("../deck-queue.js").Decision} Decision */

export const load = completeProfile;

/** Cards one after another: by buttons, by dragging, by the arrow keys. */
export default function deckScreen() {
  let suggested = "";
  const queue = deckQueue({
    load: async () => {
      const [{ card }, { items }] = await Promise.all([
        call("GET /v1/roommates/suggestion"),
        call("GET /v1/roommates/deck", { limit: 20 }),
      ]);
      if (!card) return items;
      suggested = card.userID;
      return [card, ...items.filter((it) => it.userID !== card.userID)];
    },
    swipe: (userID, decision) =>
      call("POST /v1/roommates/swipes", { body: { userID, decision } }, { key: crypto.randomUUID() }),
    undo: () => call("DELETE /v1/roommates/swipes/last"),
  });
  untracked(queue.load);
  const top = () => queue.cards.get()[0];

  /** @param {Decision} decision */
  async function decide(decision) {
    const card = top();
    if (!card) return;
    fly(decision);
    const sent = queue.decide(decision);
    const next = top();
    const said = t(decision === "like" ? "liked" : "passedOn", { name: nameOf(card) });
    announce(next ? `${said} ${t("nextIs", { name: nameAndAge(next) })}` : said);
    try {
      const { isMatch, match } = await sent;
      if (isMatch && match) showMatch(card.userID, match);
      if (decision === "like") countAgain("likes");
    } catch (error) {
      // someone who has been blocked, has left, or whose requirements have changed meanwhile
      if (Problem.is(error, "roommate-not-found")) return queue.drop(card.userID);
      toast(problemText(error), { kind: "error" });
    }
  }

  async function undo() {
    try {
      await queue.undo();
      const card = top();
      if (card) announce(t("isBack", { name: nameAndAge(card) }));
    } catch (error) {
      toast(Problem.is(error, "nothing-to-undo") ? t("nothingToUndo") : problemText(error), { kind: "info" });
    }
  }

  async function details() {
    const card = top();
    if (!card) return;
    const { openPerson } = await import("../components/person-dialog.js");
    const decision = await openPerson(card);
    if (decision && top() === card) decide(decision);
  }

  const stage = h("div.deck-stage");
  /** A copy of the card leaves to its side, while the next one is already there. @param {Decision} decision */
  function fly(decision) {
    const card = stage.querySelector(".swipe-card");
    if (!card || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const copy = /** @type {HTMLElement} */ (card.cloneNode(true));
    copy.inert = true;
    copy.setAttribute("aria-hidden", "true");
    copy.classList.add("is-leaving", decision === "like" ? "to-end" : "to-start");
    copy.addEventListener("animationend", () => copy.remove());
    stage.append(copy);
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const isElsewhere = document.querySelector("dialog[open]") ||
      /** @type {Element} */ (event.target).closest("input, textarea, select, [role=menu]");
    if (isElsewhere || event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
    const action = {
      ArrowLeft: () => decide("dislike"),
      ArrowRight: () => decide("like"),
      Backspace: undo,
    }[event.key];
    if (!action || !top()) return;
    event.preventDefault();
    action();
  }
  document.addEventListener("keydown", press);
  onCleanUp(() => document.removeEventListener("keydown", press));

  /** @param {State<RoommateCard>} item */
  function swipeCard(item) {
    const card = item.get();
    const isTop = () => top()?.userID === card.userID;
    const element = h(
      "article.swipe-card",
      { class: () => isTop() ? "is-top" : "", "aria-label": nameAndAge(card), inert: () => !isTop() },
      cardFace({
        name: nameAndAge(card),
        photo: card.photo,
        lines: [[placeText(card), card.school].filter(Boolean).join(" · ")],
        chips: card.reasons.slice(0, 2).map(reasonText),
        badge: h(
          "div.card-badges",
          null,
          scoreBadge(card.score),
          card.userID === suggested && h("span.suggested", null, icon("star"), t("suggestionOfTheDay")),
        ),
        isUrgent: true,
      }),
      h("span.stamp.is-like", { "aria-hidden": "true" }, t("like")),
      h("span.stamp.is-pass", { "aria-hidden": "true" }, t("pass")),
      h("button.card-open", { type: "button", "aria-label": t("moreAbout", { name: nameOf(card) }), onclick: details }),
    );
    draggable(element, (side) => decide(side > 0 ? "like" : "dislike"));
    return element;
  }
  // the next card lies below the top one
  stage.append(each(() => queue.cards.get().slice(0, 2), (it) => it.userID, swipeCard));

  const isEmpty = () => queue.cards.get().length === 0;
  const isFailed = () => isEmpty() && queue.phase.get() === "failed";
  return h(
    "div.deck",
    null,
    // a failure has a heading of its own
    () => !isFailed() && h("h1.visually-hidden", null, t("discover")),
    () => isEmpty() && queue.phase.get() === "loading" && h("div.deck-wait", null, skeleton(1)),
    () => isFailed() && failure(queue.error.get(), queue.reload),
    () => isEmpty() && queue.phase.get() === "ready" && noOne(queue.reload),
    h(
      "div.deck-main",
      { hidden: isEmpty },
      stage,
      decisionButtons({
        decide,
        before: h("button.button.icon-only", {
          type: "button",
          "aria-label": t("undo"),
          onclick: undo,
        }, icon("refresh")),
        after: h(
          "button.button.icon-only",
          { type: "button", "aria-label": t("details"), onclick: details },
          icon("info"),
        ),
      }),
      h("p.deck-keys.soft.small-text", { "aria-hidden": "true" }, t("deckKeys")),
    ),
    h("aside.deck-side.card", { hidden: isEmpty, "aria-label": t("details") }, () => {
      const card = top();
      return card && h("div.stack", null, h("h2", null, nameAndAge(card)), personDetails(card));
    }),
  );
}

/** @param {() => void} again */
const noOne = (again) =>
  empty({
    icon: "people",
    title: t("deckEmpty"),
    message: t("deckEmptyHint"),
    action: h(
      "div.row",
      null,
      h("a.button.primary", { href: link("/profile/edit") }, t("changePreferences")),
      h("button.button", { type: "button", onclick: again }, t("lookAgain")),
    ),
  });
