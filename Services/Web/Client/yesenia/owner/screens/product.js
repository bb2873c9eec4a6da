// @ts-check
import { call } from "../../../shared/api.js";
import { addressIn } from "../../../shared/app.js";
import { confirmDialog, openDialog } from "../../../shared/components/dialog.js";
import { actionButton, form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { uploadField } from "../../../shared/components/uploader.js";
import { toast } from "../../../shared/components/toast.js";
import { money, number } from "../../../shared/language.js";
import { go, link, refresh } from "../../../shared/router.js";
import { text } from "../../../shared/text.js";
import { h } from "../../../shared/view.js";
import { picturesField } from "../components/pictures.js";
import { t } from "../strings.js";

/** @import { Product, ProductType, StockLevel } from "../../../../Types/api.d.ts" */
/** @typedef {{ types: ProductType[], product?: Product, stock: StockLevel[] }} EditorData */

const CURRENCY = "USD";

/** @param {import("../../../shared/router.js").Visit} visit @returns {Promise<EditorData>} */
export async function load({ params, signal }) {
  const { items: types } = await call("GET /v1/product-types", { limit: 100 }, { signal });
  if (!params.id) return { types, stock: [] };
  const product = await call("GET /v1/products/{id}", { id: params.id }, { signal });
  const variants = product.variants.length > 0 ? product.variants.map((it) => it.id) : [undefined];
  const stock = await Promise.all(
    variants.map((variantID) => call("GET /v1/products/{id}/stock", { id: product.id, variantID }, { signal })),
  );
  return { types, product, stock };
}

/** @param {EditorData} data */
export default function productScreen({ types, product, stock }) {
  const currency = product?.price.currency ?? CURRENCY;
  const hasVariants = Boolean(product?.variants.length);

  /** @param {any} values @param {{ key: string }} attempt */
  async function save(values, { key }) {
    if (product) {
      const body = { description: null, ...(!hasVariants && { sku: null }), ...values };
      await call("PATCH /v1/products/{id}", { id: product.id, body }, { version: product.version });
      toast(t("saved"), { kind: "success" });
      return refresh();
    }
    const created = await call("POST /v1/products", { body: values }, { key });
    toast(t("saved"), { kind: "success" });
    await go(`/products/${created.id}`, { replace: true });
  }

  async function remove() {
    if (!product || !await confirmDialog({ title: t("deleteProduct"), confirm: text("delete"), isDangerous: true })) {
      return;
    }
    await call("DELETE /v1/products/{id}", { id: product.id }, { version: product.version });
    await go("/products", { replace: true });
  }

  const fields = [
    { name: "title", label: t("name"), value: product?.title, required: true, props: { maxlength: 120 } },
    {
      name: "type",
      label: t("type"),
      kind: "select",
      value: product?.type,
      required: true,
      options: types.map((it) => ({ value: it.slug, label: it.name })),
    },
    { name: "price", label: t("price"), kind: "money", currency, value: product?.price, required: true },
    {
      name: "description",
      label: t("description"),
      kind: "textarea",
      value: product?.description,
      props: { maxlength: 5000 },
    },
    picturesField("images", product?.images ?? []),
    uploadField({
      name: "video",
      label: t("video"),
      accept: "video/*",
      kind: "video",
      visibility: "everyone",
      value: product?.video,
    }),
    ...(hasVariants ? [] : [{ name: "sku", label: t("sku"), value: product?.sku, props: { maxlength: 60 } }]),
    {
      name: "weightGrams",
      label: t("weight"),
      kind: "number",
      value: product?.weightGrams,
      props: { min: 0, max: 1e6 },
    },
    { name: "isShipped", label: t("isShipped"), kind: "checkbox", value: product?.isShipped ?? true },
    ...(product ? [] : [{ name: "onHand", label: t("onHand"), kind: "number", value: 1, props: { min: 0, max: 1e6 } }]),
  ];
  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h(
        "div",
        null,
        h("p.eyebrow", null, h("a", { href: link("/products") }, t("products"))),
        h("h1", null, product?.title ?? t("newProduct")),
      ),
      product && h(
        "div.row",
        null,
        h(
          "a.button",
          { href: addressIn("yesenia", `/products/${product.id}`), target: "_blank" },
          icon("eye"),
          t("inShop"),
        ),
        actionButton({ label: text("delete"), icon: "trash", class: "quiet dangerous", run: remove }),
      ),
    ),
    h(
      "div.columns",
      null,
      h("section.card", null, form({ fields, submit: text("save"), onsubmit: save })),
      product && h("aside.stack", null, stockCard(product, stock), variantsCard(product)),
    ),
  );
}

/**
 * @param {Product} product
 * @param {StockLevel[]} levels
 */
function stockCard(product, levels) {
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("stock")),
    levels.map((level) => {
      const name = product.variants.find((it) => it.id === level.variantID)?.name;
      return h(
        "div.stack.stock-level",
        null,
        name && h("h3", null, name),
        form({
          fields: [{
            name: "onHand",
            label: name ? `${t("onHand")}: ${name}` : t("onHand"),
            kind: "number",
            value: level.onHand,
            required: true,
            hint: t("reserved", { count: number(level.reserved) }),
            props: { min: 0, max: 1e6 },
          }],
          submit: t("setStock"),
          compact: true,
          onsubmit: async ({ onHand }) => {
            const body = { onHand, ...(level.variantID && { variantID: level.variantID }) };
            level = await call("PUT /v1/products/{id}/stock", { id: product.id, body }, { version: level.version });
            toast(t("saved"), { kind: "success" });
          },
        }),
      );
    }),
  );
}

/** @param {Product} product */
function variantsCard(product) {
  const { id, variants, version, price } = product;
  const add = () =>
    openDialog({
      title: t("newVariant"),
      build: (close) =>
        form({
          fields: [
            { name: "name", label: t("name"), required: true, props: { maxlength: 60 } },
            { name: "price", label: t("priceOther"), kind: "money", currency: price.currency },
            { name: "onHand", label: t("onHand"), kind: "number", value: 1, props: { min: 0, max: 1e6 } },
          ],
          submit: text("add"),
          oncancel: () => close(),
          onsubmit: async (body, { key }) => {
            await call("POST /v1/products/{id}/variants", { id, body }, { key, version });
            close();
            await refresh();
          },
        }),
    });
  const retire = async (/** @type {string} */ variant) => {
    if (!await confirmDialog({ title: t("retireVariant"), confirm: text("delete"), isDangerous: true })) return;
    await call("DELETE /v1/products/{id}/variants/{variant}", { id, variant }, { version });
    await refresh();
  };
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("variants")),
    variants.length === 0 && h("p.soft.small-text", null, t("noVariants")),
    h(
      "ul.variant-list",
      { role: "list" },
      variants.map((it) =>
        h(
          "li.spread",
          null,
          h("span", null, it.name, " ", h("span.soft.number", null, money(it.price))),
          actionButton({
            label: "",
            icon: "trash",
            class: "quiet icon-only",
            props: { "aria-label": `${text("delete")}: ${it.name}` },
            run: () => retire(it.id),
          }),
        )
      ),
    ),
    h("button.button", { type: "button", onclick: add }, icon("add"), t("newVariant")),
  );
}
