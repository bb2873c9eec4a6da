// @ts-check
import { icon } from "../../shared/components/icon.js";
import { percent } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { study } from "../study.js";
import { levelCounts } from "../study/mastery.js";
import { t } from "../strings.js";

/** @import { StudySet } from "../study/model.js" */

/** A set with what is due and how well it is known. @param {StudySet} set @param {"h2" | "h3"} [heading] */
export function setCard(set, heading = "h2") {
  const { model, access } = study();
  const cards = model.cardsOf(set.id);
  const { due, fresh } = model.queue(cards);
  const share = access.get().get(set.id);
  const count = due.length + fresh.length;
  return h(
    "a.card.set-card",
    { href: link(`/sets/${set.id}`), style: { "--hue": hueOf(set.id) } },
    h("span.set-spine", { "aria-hidden": "true" }),
    h(`${heading}.set-title`, null, set.title),
    h(
      "p.small-text.soft.row",
      null,
      t("cardCount", { count: cards.length }),
      share && share.role !== "owner" &&
        h(
          "span.chip",
          null,
          icon("people"),
          share.owner?.displayName ?? t(share.role === "editor" ? "editor" : "viewer"),
        ),
      share?.isPublished && h("span.chip", null, icon("globe"), t("published")),
    ),
    masteryBar(cards),
    count > 0
      ? h("span.chip.is-accent", null, t("toStudy", { count }))
      : h("span.chip", null, cards.length > 0 ? t("allDone") : t("noCards")),
  );
}

/** A color of its own for each set. @param {string} id */
export const hueOf = (id) => [...id].reduce((sum, it) => (sum * 31 + it.charCodeAt(0)) % 360, 7);

/** How many cards are new, being learned, young and mature. @param {import("../study/model.js").Card[]} cards */
export function masteryBar(cards) {
  const { model } = study();
  const counts = levelCounts(cards.map((it) => model.memoryOf(it.id)));
  const known = cards.length > 0 ? (counts.young + counts.mature) / cards.length : 0;
  return h(
    "div.mastery",
    { role: "img", "aria-label": t("knownPart", { percent: percent(known) }) },
    /** @type {const} */ (["mature", "young", "learning"]).map((level) =>
      counts[level] > 0 && h("span", { class: `is-${level}`, style: { "--part": counts[level] / cards.length } })
    ),
  );
}
