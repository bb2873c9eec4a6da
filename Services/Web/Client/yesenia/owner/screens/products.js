// @ts-check
import { call, pages } from "../../../shared/api.js";
import { openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { listView, paged } from "../../../shared/components/list.js";
import { picture } from "../../../shared/components/picture.js";
import { toast } from "../../../shared/components/toast.js";
import { money, number } from "../../../shared/language.js";
import { link, refresh } from "../../../shared/router.js";
import { text } from "../../../shared/text.js";
import { h, state } from "../../../shared/view.js";
import { t } from "../strings.js";

/** @import { Product, ProductType } from "../../../../Types/api.d.ts" */

/** @param {import("../../../shared/router.js").Visit} visit */
export const load = async ({ signal }) => (await call("GET /v1/product-types", { limit: 100 }, { signal })).items;

/** @param {ProductType[]} types */
export default function productsScreen(types) {
  const words = state("");
  const products = paged((signal) => pages("GET /v1/products", { query: words.get(), limit: 30 }, { signal }));
  const search = (/** @type {any} */ event) => {
    words.set(event.target.value.trim());
    products.reload();
  };
  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h("h1", null, t("products")),
      h(
        "div.row",
        null,
        h("button.button", { type: "button", onclick: addType }, icon("filter"), t("newType")),
        h("a.button", { href: link("/import") }, icon("upload"), t("import")),
        h("a.button.primary", { href: link("/products/new") }, icon("add"), t("newProduct")),
      ),
    ),
    h("input.input.owner-search", {
      type: "search",
      placeholder: text("search"),
      "aria-label": text("search"),
      onchange: search,
    }),
    listView(products, {
      key: (it) => it.id,
      render: (product) => h("a", { href: link(`/products/${product.get().id}`) }, () => row(product.get(), types)),
      label: t("products"),
      empty: {
        icon: "tag",
        title: t("noProducts"),
        message: t("noProductsHint"),
        action: h("a.button.primary", { href: link("/import") }, t("import")),
      },
    }),
  );
}

/**
 * @param {Product} product
 * @param {ProductType[]} types
 */
const row = ({ title, type, price, images, available, availability, variants }, types) => [
  h("span.row-picture", null, picture(images[0], { alt: "", sizes: "4rem" })),
  h(
    "span.grow.row-text",
    null,
    h("strong", null, title),
    h("span.soft.small-text", null, variantsText(types.find((it) => it.slug === type)?.name ?? type, variants.length)),
  ),
  h("span.chip", {
    class: availability === "outOfStock" ? "is-danger" : availability === "lowStock" ? "is-warning" : "",
  }, t("stockOf", { count: number(available) })),
  h("span.number", null, money(price)),
];

/**
 * @param {string} type
 * @param {number} count
 */
const variantsText = (type, count) => count > 0 ? t("variantsOf", { type, count }) : type;

async function addType() {
  const added = await openDialog({
    title: t("newType"),
    /** @param {(isAdded?: boolean) => void} close */
    build: (close) =>
      form({
        fields: [
          { name: "name", label: t("name"), required: true, props: { maxlength: 60 } },
          {
            name: "slug",
            label: t("slug"),
            hint: t("slugHint"),
            required: true,
            props: { maxlength: 40, autocapitalize: "none" },
          },
        ],
        submit: text("add"),
        oncancel: () => close(),
        onsubmit: async (body, { key }) => {
          await call("POST /v1/product-types", { body }, { key });
          close(true);
        },
      }),
  });
  if (!added) return;
  toast(t("saved"), { kind: "success" });
  await refresh();
}
