// @ts-check
import { icon } from "../../shared/components/icon.js";
import { empty, failure } from "../../shared/components/states.js";
import { announce, toast } from "../../shared/components/toast.js";
import { Problem } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { openDialog } from "../../shared/components/dialog.js";
import { link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { each, effect, h, state } from "../../shared/view.js";
import { attachmentEditor } from "../components/attachments.js";
import { cleanText } from "../components/card-text.js";
import { setFields, tagsOf } from "../components/set-fields.js";
import { loadSet, mayEdit, study } from "../study.js";
import { between } from "../sync/position.js";
import { t } from "../screen-strings.js";

/** @import { Card } from "../study/model.js" */
/** @import { State } from "../../shared/signals.js" */

export const load = loadSet;

/** The cards of a set, each stored as soon as a field is left. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function editorScreen(_data, { params: { id } }) {
  const { model, store } = study();
  const set = model.setOf(id);
  if (!set || !mayEdit(id)) return failure(new Problem({ status: 404, code: "not-found", title: "" }));
  const cards = () => model.cardsOf(id);
  const added = state("");

  async function add() {
    const card = crypto.randomUUID();
    const position = between(cards().at(-1)?.position ?? null, null);
    added.set(card);
    await store.put("cards", card, { front: "", back: "", position }, { set: id });
    announce(t("cardAdded"));
  }

  const editSet = () =>
    openDialog({
      title: t("editSet"),
      build: (close) =>
        form({
          fields: setFields(model.setOf(id)),
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async ({ title, description, tags }) => {
            await store.put("sets", id, { title, description: description ?? "", tags: tagsOf(tags) });
            close();
          },
        }),
    });

  return h(
    "div.stack.editor",
    null,
    h(
      "header.set-head",
      null,
      h("a.button.quiet.small.back-link", { href: link(`/sets/${id}`) }, icon("back"), t("backToSet")),
      h(
        "div.spread",
        null,
        h("h1", null, () => model.setOf(id)?.title ?? set.title),
        h("button.button", { type: "button", onclick: editSet }, icon("edit"), t("editSet")),
      ),
      h("p.soft.small-text", null, t("savedAtOnce")),
    ),
    () => cards().length === 0 && empty({ icon: "card", title: t("noCards"), message: t("firstCardHint") }),
    h("ol.editor-cards", { role: "list" }, each(cards, (it) => it.id, (card) => cardEditor(card, cards, added))),
    h(
      "div.editor-add",
      null,
      h("button.button.primary", { type: "button", onclick: add }, icon("add"), t("addCard")),
      h("a.button", { href: link(`/sets/${id}/scan`) }, icon("image"), t("scan")),
    ),
  );
}

/**
 * @param {State<Card>} card
 * @param {() => Card[]} cards
 * @param {State<string>} added the card that was just added, which gets the focus
 */
function cardEditor(card, cards, added) {
  const { store } = study();
  const { id } = card.get();
  const index = () => cards().findIndex((it) => it.id === id);

  /** @param {"front" | "back"} side */
  const field = (side) => {
    const input = h("textarea.input", {
      rows: 2,
      maxlength: 20_000,
      dir: "auto",
      "aria-label": () => t(side === "front" ? "frontOf" : "backOf", { number: index() + 1 }),
      placeholder: t(side === "front" ? "question" : "answer"),
      onchange: () => store.put("cards", id, { [side]: cleanText(input.value) }),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) input.blur();
      },
    });
    // what another device has changed appears, unless someone is writing here
    effect(() => {
      const text = card.get()[side];
      if (document.activeElement !== input) input.value = text;
    });
    if (side === "front" && added.get() === id) requestAnimationFrame(() => input.focus());
    return h("div.field", null, h("span.label", { "aria-hidden": "true" }, t(side)), input);
  };
  const move = async (/** @type {number} */ step) => {
    const all = cards();
    const [at, target] = [index(), index() + step];
    if (target < 0 || target >= all.length) return;
    const [before, after] = step < 0 ? [all[target - 1], all[target]] : [all[target], all[target + 1]];
    await store.put("cards", id, { position: between(before?.position ?? null, after?.position ?? null) });
    announce(t("movedTo", { number: at + step + 1 }));
  };
  const remove = async () => {
    await store.change("cards", id, "delete");
    toast(t("cardDeleted"), { action: { label: t("undo"), run: () => store.change("cards", id, "restore") } });
  };
  const tool = (/** @type {any} */ name, /** @type {any} */ key, /** @type {() => void} */ run) =>
    h("button.button.quiet.icon-only", {
      type: "button",
      "aria-label": () => t(key, { number: index() + 1 }),
      onclick: run,
    }, icon(name));

  return h(
    "li.card.editor-card",
    null,
    h(
      "header.editor-head",
      null,
      h("span.number.soft", null, () => index() + 1),
      h(
        "div.row",
        null,
        tool("previous", "moveUp", () => move(-1)),
        tool("next", "moveDown", () => move(1)),
        tool("trash", "deleteCard", remove),
      ),
    ),
    h("div.editor-sides", null, field("front"), field("back")),
    attachmentEditor(card),
    () =>
      card.get().record.view?.variants.length
        ? h("a.notice", { href: link("/sync") }, icon("info"), t("cardConflict"))
        : null,
  );
}
