// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h, onCleanUp, state } from "../../shared/view.js";
import { hueOf } from "../components/set-card.js";
import { t } from "../screen-strings.js";

/** Sets that others have published. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function libraryScreen(_data, { query: asked }) {
  const query = state(asked.get("query") ?? "");
  const list = paged((signal) => pages("GET /v1/library", { query: query.get().trim() || undefined }, { signal }));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  onCleanUp(() => clearTimeout(timer));
  const search = (/** @type {any} */ event) => {
    query.set(event.target.value);
    clearTimeout(timer);
    timer = setTimeout(() => list.reload(), 250);
  };
  return h(
    "div.stack",
    null,
    h("header", null, h("h1", null, t("library")), h("p.soft", null, t("libraryHint"))),
    h(
      "div.filters",
      { role: "search" },
      h("input.input", {
        type: "search",
        "aria-label": text("search"),
        placeholder: t("searchLibrary"),
        value: query.get(),
        oninput: search,
      }),
    ),
    listView(list, {
      key: (it) => it.id,
      label: t("library"),
      class: "cards",
      empty: { icon: "book", title: t("nothingFound"), message: t("libraryEmpty") },
      render: (item) => {
        const set = item.get();
        return h(
          "a.card.set-card",
          { href: link(`/library/${set.id}`), style: { "--hue": hueOf(set.id) } },
          h("span.set-spine", { "aria-hidden": "true" }),
          h("h2.set-title", null, set.title),
          set.description && h("p.soft.small-text.clamp", null, set.description),
          h(
            "p.row.small-text.soft",
            null,
            h("span", null, t("cardCount", { count: set.cardCount })),
            h("span.row", null, icon("copy"), t("copies", { count: set.copies })),
          ),
          set.owner && h("p.small-text", null, t("by", { name: set.owner.displayName })),
        );
      },
    }),
  );
}
