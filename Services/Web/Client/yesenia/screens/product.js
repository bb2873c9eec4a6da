// @ts-check
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { picture } from "../../shared/components/picture.js";
import { icon } from "../../shared/components/icon.js";
import { videoPlayer } from "../../shared/components/player.js";
import { money } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { addToCart } from "../cart.js";
import { paragraphs } from "../components/paragraphs.js";
import { priceText, productCard, stockChip } from "../components/products.js";
import { loadTypes } from "../site.js";
import { t } from "../strings.js";

/** @import { Product, ProductType } from "../../../Types/api.d.ts" */
/** @typedef {{ product: Product, types: ProductType[], others: Product[] }} ProductData */

/** @param {import("../../shared/router.js").Visit} visit @returns {Promise<ProductData>} */
export async function load({ params, signal }) {
  const [product, types] = await Promise.all([
    call("GET /v1/products/{id}", { id: params.id }, { signal }),
    loadTypes(),
  ]);
  const others = await call("GET /v1/products", { type: product.type, limit: 5 }, { signal });
  return { product, types, others: others.items.filter((it) => it.id !== product.id).slice(0, 4) };
}

/** @param {ProductData} data */
export default function productScreen({ product, types, others }) {
  const type = types.find((it) => it.slug === product.type);
  return h(
    "div",
    null,
    h(
      "nav.breadcrumbs",
      { "aria-label": t("breadcrumbs") },
      h("a", { href: link("/shop") }, t("shop")),
      icon("next"),
      h("a", { href: link("/shop", { type: product.type }) }, type?.name ?? product.type),
    ),
    h(
      "article.product",
      null,
      gallery(product),
      h(
        "div.stack.product-text",
        null,
        h("p.eyebrow", null, type?.name ?? product.type),
        h("h1", null, product.title),
        purchase(product),
        product.description && h("div.description", null, paragraphs(product.description)),
        product.isShipped && h("p.row.soft.small-text", null, icon("home"), t("shippedToYou")),
      ),
    ),
    product.video && h(
      "section.home-section",
      null,
      h("h2", null, t("video")),
      videoPlayer({ media: product.video, title: product.title }),
    ),
    others.length > 0 && h(
      "section.home-section",
      null,
      h("h2", null, t("more", { type: type?.name ?? product.type })),
      h("ul.cards.product-cards", { role: "list" }, others.map((it) => h("li", null, productCard(it)))),
    ),
  );
}

/** @param {Product} product */
function gallery({ images, title }) {
  const shown = state(0);
  return h(
    "div.gallery",
    null,
    () =>
      picture(images[shown.get()], { alt: title, ratio: "1", sizes: "(min-width: 52rem) 34rem, 95vw", isUrgent: true }),
    images.length > 1 && h(
      "div.row.gallery-choice",
      { role: "group", "aria-label": t("pictures") },
      images.map((id, index) =>
        h(
          "button.gallery-button",
          {
            type: "button",
            "aria-label": t("pictureOf", { index: index + 1, count: images.length }),
            "aria-pressed": () => String(shown.get() === index),
            onclick: () => shown.set(index),
          },
          picture(id, { alt: "", sizes: "5rem" }),
        )
      ),
    ),
  );
}

/** Price, choice and button. @param {Product} product */
function purchase(product) {
  const chosen = state(product.variants.find((it) => it.availability !== "outOfStock") ?? product.variants[0]);
  const quantity = state(1);
  const item = () => chosen.get() ?? product;
  const most = () => Math.max(1, Math.min(20, item().available));
  return h(
    "div.stack.purchase",
    null,
    h(
      "p.row",
      { "aria-live": "polite" },
      h("span.price.is-large", null, () => chosen.get() ? money(item().price) : priceText(product)),
      () => stockChip(item()),
    ),
    product.variants.length > 0 && h(
      "fieldset.choices",
      null,
      h("legend.label", null, t("variant")),
      product.variants.map((it) =>
        h(
          "label.choice",
          null,
          h("input", {
            type: "radio",
            name: "variant",
            value: it.id,
            checked: it === chosen.get(),
            onchange: () => chosen.set(it),
          }),
          h("span", null, it.name),
        )
      ),
    ),
    () =>
      item().availability === "outOfStock" ? h("p.notice", null, t("outOfStockHint")) : h(
        "div.row.buy-row",
        null,
        h(
          "label.quantity",
          null,
          h("span.label", null, t("quantity")),
          h(
            "select.input",
            { onchange: (/** @type {any} */ event) => quantity.set(Number(event.target.value)) },
            Array.from({ length: most() }, (_, index) => h("option", { value: index + 1 }, index + 1)),
          ),
        ),
        actionButton({
          label: t("addToCart"),
          icon: "cart",
          class: "primary grow",
          run: () => addToCart({ productID: product.id, variantID: chosen.get()?.id, quantity: quantity.get() }),
        }),
      ),
  );
}
