// @ts-check
import { addressOf } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { icon } from "../../shared/components/icon.js";
import { menu } from "../../shared/components/menu.js";
import { empty, failure } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { Problem } from "../../shared/api.js";
import { number, percent } from "../../shared/language.js";
import { go, link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { exportFile } from "../components/export.js";
import { hueOf, masteryBar } from "../components/set-card.js";
import { isOwner, loadSet, mayEdit, noteOpened, study } from "../study.js";
import { levelOf, mastery } from "../study/mastery.js";
import { interval } from "../components/words.js";
import { t } from "../screen-strings.js";

/** @import { Card } from "../study/model.js" */

export const load = loadSet;

/** A set: what to do with it, and its cards. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function setScreen(_data, { params: { id } }) {
  const { model, store } = study();
  const first = model.setOf(id);
  if (!first) return failure(new Problem({ status: 404, code: "not-found", title: "" }));
  noteOpened(id);
  const set = () => model.setOf(id) ?? first;
  const cards = () => model.cardsOf(id);

  const remove = async () => {
    const isSure = await confirmDialog({
      title: t("deleteSet"),
      message: t("deleteSetMessage", { title: first.title }),
      confirm: text("delete"),
      isDangerous: true,
    });
    if (!isSure) return;
    await store.change("sets", id, "delete");
    await go("/sets", { replace: true });
    toast(t("setDeleted"), { action: { label: t("undo"), run: () => store.change("sets", id, "restore") } });
  };
  const leave = async () => {
    const { leaveSet } = await import("../components/leave-set.js");
    await leaveSet(id);
  };

  return h(
    "div.stack.set-page",
    { style: { "--hue": hueOf(id) } },
    h(
      "header.set-head",
      null,
      h("a.button.quiet.small.back-link", { href: link("/sets") }, icon("back"), t("sets")),
      h(
        "div.spread",
        null,
        h("h1", null, () => set().title),
        menu({
          label: t("moreActions"),
          items: () => [
            ...(mayEdit(id)
              ? [
                { label: t("edit"), icon: /** @type {const} */ ("edit"), href: link(`/sets/${id}/edit`) },
                { label: t("scan"), icon: /** @type {const} */ ("image"), href: link(`/sets/${id}/scan`) },
              ]
              : []),
            { label: t("share"), icon: "share", href: link(`/sets/${id}/share`) },
            { label: t("exportText"), icon: "download", run: () => exportFile(set(), cards(), "txt") },
            { label: t("exportTable"), icon: "download", run: () => exportFile(set(), cards(), "csv") },
            {
              label: t("exportAnki"),
              icon: "download",
              run: () => download(addressOf("GET /v1/study-sets/{id}/export", { id, format: "apkg", schedule: true })),
            },
            isOwner(id)
              ? { label: text("delete"), icon: "trash", run: remove, isDangerous: true }
              : { label: t("leaveSet"), icon: "signout", run: leave, isDangerous: true },
          ],
        }),
      ),
      () => set().description && h("p.soft.set-description", null, set().description),
      () => set().tags.length > 0 && h("p.row", null, set().tags.map((it) => h("span.chip", null, it))),
      () => first.record.view && conflicts(id),
    ),
    () => {
      if (cards().length === 0) return null;
      const { due, fresh, laterToday } = model.queue(cards());
      const count = due.length + fresh.length;
      const part = mastery(cards().map((it) => model.memoryOf(it.id)), model.scheduler.get(), store.now());
      return h(
        "section.set-actions",
        { "aria-label": t("study") },
        h(
          "a.card.action-main",
          { href: link(`/sets/${id}/study`) },
          h("span.action-icon", null, icon("play")),
          h("strong", null, t("study")),
          h(
            "span.small-text",
            null,
            count > 0
              ? t("toStudy", { count })
              : laterToday > 0
              ? t("laterToday", { count: laterToday })
              : t("allDone"),
          ),
        ),
        h(
          "a.card.action",
          { href: link(`/sets/${id}/cards`) },
          h("span.action-icon", null, icon("card")),
          h("strong", null, t("flip")),
          h("span.soft.small-text", null, t("cardCount", { count: cards().length })),
        ),
        h(
          "a.card.action",
          { href: link(`/sets/${id}/quiz`) },
          h("span.action-icon", null, icon("check")),
          h("strong", null, t("quiz")),
          h("span.soft.small-text", null, t("quizHint")),
        ),
        h(
          "div.card.set-mastery",
          null,
          h("div.spread", null, h("span.small-text.soft", null, t("mastery")), h("strong.number", null, percent(part))),
          masteryBar(cards()),
        ),
      );
    },
    h(
      "section.stack",
      null,
      h(
        "div.spread",
        null,
        h("h2", null, () => t("cardsOf", { count: number(cards().length) })),
        () => mayEdit(id) && h("a.button", { href: link(`/sets/${id}/edit`) }, icon("edit"), t("editCards")),
      ),
      () =>
        cards().length > 0 ? h("ol.card-rows", { role: "list" }, cards().slice(0, 500).map(cardRow)) : empty({
          icon: "card",
          title: t("noCards"),
          message: t("noCardsHint"),
          action: mayEdit(id)
            ? h("a.button.primary", { href: link(`/sets/${id}/edit`) }, icon("add"), t("addCards"))
            : undefined,
        }),
    ),
  );
}

/** @param {string} href */
const download = (href) => h("a", { href, download: "" }).click();

/** @param {Card} card */
function cardRow(card) {
  const { model, store } = study();
  const memory = model.memoryOf(card.id);
  const wait = memory.due === null ? null : memory.due - store.now();
  return h(
    "li.card-row",
    null,
    h("p", { dir: "auto" }, card.front),
    h("p.soft", { dir: "auto" }, card.back),
    h(
      "span.chip",
      { class: `is-${levelOf(memory)}` },
      t(`level-${levelOf(memory)}`),
      wait !== null && h("span.soft", null, wait <= 0 ? t("dueNow") : t("dueIn", { time: interval(wait) })),
    ),
  );
}

/** Texts of this set and its cards that two devices have changed differently. @param {string} id */
function conflicts(id) {
  const { store, model } = study();
  const records = [store.all("sets").get(id), ...model.cardsOf(id).map((it) => it.record)];
  const count = records.filter((it) => it?.view?.variants.length).length;
  return count > 0 && h("a.notice.conflict-link", { href: link("/sync") }, icon("info"), t("conflictCount", { count }));
}
