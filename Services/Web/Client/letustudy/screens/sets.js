// @ts-check
import { icon } from "../../shared/components/icon.js";
import { empty } from "../../shared/components/states.js";
import { link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { setCard } from "../components/set-card.js";
import { study } from "../study.js";
import { t } from "../screen-strings.js";

/** All sets of the user. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function setsScreen(_data, { query }) {
  const { model, sync } = study();
  const search = state(query.get("query") ?? "");
  const order = state("title");
  const found = () => {
    const words = search.get().trim().toLocaleLowerCase();
    const all = model.sets.get().filter(({ title, description, tags }) =>
      [title, description, ...tags].join(" ").toLocaleLowerCase().includes(words)
    );
    if (order.get() === "changed") return all.toSorted((a, b) => b.changedAt - a.changedAt);
    if (order.get() === "due") {
      const count = (/** @type {string} */ id) => model.queue(model.cardsOf(id)).due.length;
      return all.toSorted((a, b) => count(b.id) - count(a.id));
    }
    return all;
  };
  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h("h1", null, t("sets")),
      h(
        "div.row",
        null,
        h("a.button", { href: link("/import") }, icon("upload"), t("import")),
        h("a.button.primary", { href: link("/sets/new") }, icon("add"), t("newSet")),
      ),
    ),
    () =>
      model.sets.get().length > 1 && h(
        "div.filters",
        null,
        h("input.input", {
          type: "search",
          "aria-label": text("search"),
          placeholder: text("search"),
          value: search.get(),
          oninput: (/** @type {any} */ event) => search.set(event.target.value),
        }),
        h(
          "select.input",
          { "aria-label": t("order"), onchange: (/** @type {any} */ event) => order.set(event.target.value) },
          /** @type {const} */ (["title", "changed", "due"]).map((it) => h("option", { value: it }, t(`order-${it}`))),
        ),
      ),
    () =>
      found().length > 0
        ? h("ul.cards", { role: "list" }, found().map((set) => h("li", null, setCard(set))))
        : model.sets.get().length > 0
        ? empty({ icon: "search", title: t("nothingFound") })
        : sync.status.get().at === null && sync.status.get().phase === "syncing"
        ? null
        : empty({
          icon: "card",
          title: t("noSets"),
          message: t("noSetsHint"),
          action: h("a.button.primary", { href: link("/sets/new") }, icon("add"), t("newSet")),
        }),
  );
}
