// @ts-check
import { icon } from "../../shared/components/icon.js";
import { empty } from "../../shared/components/states.js";
import { announce } from "../../shared/components/toast.js";
import { percent } from "../../shared/language.js";
import { link, refresh } from "../../shared/router.js";
import { h, onCleanUp, state, untracked } from "../../shared/view.js";
import { cardFace } from "../components/card-face.js";
import { hueOf } from "../components/set-card.js";
import { interval } from "../components/words.js";
import { preferences } from "../preferences.js";
import { play, speak } from "../sounds.js";
import { loadSet, study } from "../study.js";
import { recordReview } from "../study/record.js";
import { t } from "../screen-strings.js";

/** @import { Card } from "../study/model.js" */
/** @import { Rating } from "../study/scheduler.js" */

/** @type {readonly { rating: Rating, key: "again" | "hard" | "good" | "easy" }[]} */
const RATINGS = [{ rating: 1, key: "again" }, { rating: 2, key: "hard" }, { rating: 3, key: "good" }, {
  rating: 4,
  key: "easy",
}];

/** A card of which the answer is forgotten comes again in this visit, when its time is no further away. */
const SOON = 20 * 60_000;

export const load = loadSet;

/** Cards that are due, one after another, by spaced repetition. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function studyScreen(_data, { params: { id } }) {
  const { model, store } = study();
  const set = id ? model.setOf(id) : undefined;
  const title = set?.title ?? t("study");
  const home = id ? `/sets/${id}` : "/";
  const { due, fresh } = untracked(() =>
    model.queue(id ? model.cardsOf(id) : [...model.cardsBySet.get().values()].flat())
  );
  /** @type {Card[]} */
  const waiting = [...due, ...fresh];
  /** @type {{ card: Card, at: number }[]} cards in learning, with when they come again */
  const returning = [];
  const total = waiting.length;
  const card = state(/** @type {Card | null} */ (null));
  const isTurned = state(false);
  const done = state({ reviews: 0, recalled: 0, cards: new Set() });
  let shownAt = 0;

  function next() {
    returning.sort((a, b) => a.at - b.at);
    const isReady = returning.length > 0 && (returning[0].at <= store.now() || waiting.length === 0);
    const following = isReady ? returning.shift()?.card : waiting.shift();
    isTurned.set(false);
    card.set(following ?? null);
    shownAt = performance.now();
    if (!following) return play("done");
    announce(following.front);
    if (preferences.get().voiceOver) speak(following.front);
  }

  function turn() {
    const shown = card.get();
    if (!shown || isTurned.get()) return;
    isTurned.set(true);
    announce(shown.back);
    if (preferences.get().voiceOver) speak(shown.back);
  }

  /** @param {Rating} rating */
  async function answer(rating) {
    const shown = card.get();
    if (!shown || !isTurned.get()) return;
    const taken = performance.now() - shownAt;
    const { due: at } = model.scheduler.get().review(model.memoryOf(shown.id), rating, store.now());
    play(rating > 1 ? "right" : "wrong");
    done.update((it) => ({
      reviews: it.reviews + 1,
      recalled: it.recalled + (rating > 1 ? 1 : 0),
      cards: new Set(it.cards).add(shown.id),
    }));
    // stored before the next card is shown: what was answered is never lost
    await recordReview(shown, rating, taken);
    if (at !== null && at - store.now() < SOON) returning.push({ card: shown, at });
    next();
  }

  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (/** @type {Element} */ (event.target).closest("input, textarea, dialog, .menu, a")) return;
    const rating = RATINGS.find((it) => String(it.rating) === event.key)?.rating;
    if (rating && isTurned.get()) answer(rating);
  };
  document.addEventListener("keydown", keys);
  onCleanUp(() => document.removeEventListener("keydown", keys));
  if (total === 0) return nothing(title, home, id);
  next();

  return h(
    "div.stack.play-page",
    { style: set ? { "--hue": hueOf(set.id) } : {} },
    h(
      "header.play-head",
      null,
      h("a.button.quiet.icon-only", { href: link(home), "aria-label": t("stop") }, icon("close")),
      h("h1.play-title", null, title),
      h("span.number.soft", null, () => card.get() && t("left", { count: waiting.length + returning.length + 1 })),
    ),
    h("progress.play-progress", {
      max: total,
      value: () => {
        card.get();
        return Math.max(0, total - waiting.length - (card.get() && !done.get().cards.has(card.get()?.id) ? 1 : 0));
      },
      "aria-label": t("progress"),
    }),
    () => {
      const shown = card.get();
      if (!shown) return summary(done.get(), home);
      return h(
        "div.stack.play-page",
        null,
        h(
          "article.flashcard",
          { class: () => isTurned.get() ? "is-turned" : "" },
          h("span.flashcard-side", null, id ? t("question") : model.setOf(shown.set)?.title ?? t("question")),
          cardFace(shown, "front"),
          () => isTurned.get() && h("hr.flashcard-line", null),
          () => isTurned.get() && cardFace(shown, "back"),
        ),
        () =>
          isTurned.get() ? ratings(shown) : h(
            "div.play-actions",
            null,
            h("button.button.primary.wide", {
              type: "button",
              onclick: turn,
              ref: focusSoon,
            }, t("showAnswer")),
          ),
        h("p.soft.small-text.key-hint", null, () => isTurned.get() ? t("keysRate") : t("keysTurn")),
      );
    },
  );

  /** @param {Card} shown */
  function ratings(shown) {
    const memory = untracked(() => model.memoryOf(shown.id));
    const now = store.now();
    return h(
      "div.ratings",
      { role: "group", "aria-label": t("howWell") },
      RATINGS.map(({ rating, key }) =>
        h(
          "button.rating",
          {
            type: "button",
            class: `is-${key}`,
            onclick: () => answer(rating),
            ...(key === "good" && { ref: focusSoon }),
          },
          h("strong", null, t(key)),
          h("span.small-text", null, interval(Number(model.scheduler.get().review(memory, rating, now).due) - now)),
        )
      ),
    );
  }
}

/** @param {HTMLElement} element */
const focusSoon = (element) =>
  queueMicrotask(() => element.isConnected ? element.focus() : requestAnimationFrame(() => element.focus()));

/** @param {{ reviews: number, recalled: number, cards: Set<unknown> }} done @param {string} home */
function summary({ reviews, recalled, cards }, home) {
  return h(
    "section.card.result",
    null,
    h("div.result-icon", null, icon("star")),
    h("h2", { tabindex: -1, ref: focusSoon }, t("wellDone")),
    h("p.soft", null, t("studiedCards", { count: cards.size })),
    h(
      "dl.result-facts",
      null,
      h("div", null, h("dt", null, t("answers")), h("dd", null, reviews)),
      h("div", null, h("dt", null, t("recalled")), h("dd", null, percent(reviews > 0 ? recalled / reviews : 0))),
    ),
    h(
      "div.row",
      null,
      h("a.button.primary", { href: link(home) }, t("finish")),
      h("a.button", { href: link("/statistics") }, icon("chart"), t("statistics")),
    ),
  );
}

/** @param {string} title @param {string} home @param {string | undefined} id */
function nothing(title, home, id) {
  return h(
    "div.stack",
    null,
    h("h1", null, title),
    empty({
      icon: "check",
      title: t("allDone"),
      message: t("nothingDueHint"),
      action: h(
        "div.row",
        null,
        id && h("a.button.primary", { href: link(`/sets/${id}/cards`) }, icon("card"), t("flip")),
        h("a.button", { href: link(home) }, t("backToSet")),
        h("button.button.quiet", { type: "button", onclick: refresh }, icon("refresh"), t("lookAgain")),
      ),
    }),
  );
}
