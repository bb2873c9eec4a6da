// @ts-check
import { icon } from "../../shared/components/icon.js";
import { empty } from "../../shared/components/states.js";
import { announce } from "../../shared/components/toast.js";
import { link } from "../../shared/router.js";
import { h, onCleanUp, state } from "../../shared/view.js";
import { cardFace } from "../components/card-face.js";
import { preferences } from "../preferences.js";
import { speak } from "../sounds.js";
import { loadSet, study } from "../study.js";
import { recordSession } from "../study/record.js";
import { session } from "../study/sessions.js";
import { hueOf } from "../components/set-card.js";
import { t } from "../screen-strings.js";

export const load = loadSet;

/** The cards of a set, to be turned and leafed through. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function cardsScreen(_data, { params: { id } }) {
  const { model } = study();
  const set = model.setOf(id);
  const cards = state(model.cardsOf(id));
  const [index, isBack] = [state(0), state(false)];
  session.begin({ kind: "cards", set: id, record: (milliseconds) => recordSession("cards", milliseconds, id) });
  onCleanUp(() => session.end());

  const flip = () => {
    isBack.set(!isBack.get());
    const card = cards.get()[index.get()];
    announce(isBack.get() ? card.back : card.front);
    if (preferences.get().voiceOver) speak(isBack.get() ? card.back : card.front);
  };
  const move = (/** @type {number} */ step) => {
    const next = index.get() + step;
    if (next < 0 || next >= cards.get().length) return;
    isBack.set(false);
    index.set(next);
    const card = cards.get()[next];
    announce(t("cardOf", { number: next + 1, count: cards.get().length, text: card.front }));
    if (preferences.get().voiceOver) speak(card.front);
  };
  const shuffle = () => {
    cards.update((all) =>
      all.map((card) => ({ card, at: Math.random() })).sort((a, b) => a.at - b.at).map((it) => it.card)
    );
    index.set(0);
    isBack.set(false);
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (/** @type {Element} */ (event.target).closest("input, textarea, dialog, .menu")) return;
    const forward = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") move(event.key === forward ? 1 : -1);
  };
  document.addEventListener("keydown", keys);
  onCleanUp(() => document.removeEventListener("keydown", keys));

  if (cards.get().length === 0) {
    return h("div.stack", null, h("h1", null, set?.title ?? t("flip")), empty({ icon: "card", title: t("noCards") }));
  }
  return h(
    "div.stack.play-page",
    { style: { "--hue": hueOf(id) } },
    h(
      "header.play-head",
      null,
      h("a.button.quiet.icon-only", { href: link(`/sets/${id}`), "aria-label": t("backToSet") }, icon("close")),
      h("h1.play-title", null, set?.title ?? ""),
      h("span.number.soft", null, () => `${index.get() + 1} / ${cards.get().length}`),
    ),
    h("progress.play-progress", { max: cards.get().length, value: () => index.get() + 1, "aria-label": t("progress") }),
    h(
      "div.flashcard",
      { class: () => isBack.get() ? "is-turned" : "" },
      h("span.flashcard-side", null, () => isBack.get() ? t("back") : t("front")),
      () => cardFace(cards.get()[index.get()], isBack.get() ? "back" : "front"),
      h("button.flashcard-turn", { type: "button", onclick: flip, "data-focus": true }, icon("refresh"), t("turn")),
    ),
    h(
      "div.play-actions",
      null,
      h(
        "button.button",
        { type: "button", onclick: () => move(-1), "aria-disabled": () => String(index.get() === 0) },
        icon("previous"),
        t("previous"),
      ),
      h("button.button.quiet", { type: "button", onclick: shuffle }, icon("refresh"), t("shuffle")),
      h(
        "button.button.primary",
        {
          type: "button",
          onclick: () => move(1),
          "aria-disabled": () => String(index.get() === cards.get().length - 1),
        },
        t("next"),
        icon("next"),
      ),
    ),
    h("p.soft.small-text.key-hint", null, t("keysCards")),
  );
}
