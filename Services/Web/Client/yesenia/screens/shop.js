// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { icon } from "../../shared/components/icon.js";
import { go, link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { productCard } from "../components/products.js";
import { typeChoice } from "../components/types.js";
import { loadTypes } from "../site.js";
import { t } from "../strings.js";

/** @import { ProductType } from "../../../Types/api.d.ts" */

export const load = () => loadTypes();

/** @param {ProductType[]} types @param {import("../../shared/router.js").Visit} visit */
export default function shopScreen(types, { query }) {
  const type = query.get("type") ?? undefined;
  const words = query.get("q") ?? undefined;
  const products = paged((signal) => pages("GET /v1/products", { type, query: words, limit: 24 }, { signal }));
  const field = h("input.input", {
    type: "search",
    name: "q",
    value: words ?? "",
    placeholder: t("searchProducts"),
    "aria-label": t("searchProducts"),
  });
  const search = (/** @type {Event} */ event) => {
    event.preventDefault();
    go(link("/shop", { type, q: field.value.trim() }).slice(link("").length));
  };
  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h("h1", null, types.find((it) => it.slug === type)?.name ?? t("shop")),
      h(
        "form.search",
        { role: "search", onsubmit: search },
        field,
        h("button.button.icon-only", { type: "submit", "aria-label": text("search") }, icon("search")),
      ),
    ),
    typeChoice(types, type, (it) => link("/shop", { type: it, q: words })),
    words && h("p.row", null, t("searchFor", { words }), h("a", { href: link("/shop", { type }) }, t("showAll"))),
    listView(products, {
      key: (it) => it.id,
      render: (it) => h("div", null, () => productCard(it.get())),
      label: t("products"),
      class: "cards product-cards",
      empty: {
        icon: "shop",
        title: t("noProducts"),
        message: t(words ? "noProductsFound" : "noProductsYet"),
        action: type || words ? h("a.button", { href: link("/shop") }, t("showAll")) : undefined,
      },
    }),
  );
}
