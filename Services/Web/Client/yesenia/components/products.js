// @ts-check
/** How products are shown in lists. */
import { actionButton } from "../../shared/components/form.js";
import { picture } from "../../shared/components/picture.js";
import { money } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { addToCart } from "../cart.js";
import { t } from "../strings.js";

/** @import { Product } from "../../../Types/api.d.ts" */

/** @param {{ price: Product["price"], variants: Product["variants"] }} product */
export function priceText({ price, variants }) {
  const prices = variants.length > 0 ? variants.map((it) => it.price) : [price];
  const least = prices.reduce((one, other) => other.amount < one.amount ? other : one);
  return prices.some((it) => it.amount !== least.amount) ? t("priceFrom", { price: money(least) }) : money(least);
}

/**
 * Whether it can be had.
 * @param {{ availability: Product["availability"], available: number }} item
 */
export function stockChip({ availability, available }) {
  if (availability === "inStock") return h("span.chip.is-success", null, t("inStock"));
  if (availability === "outOfStock") return h("span.chip", null, t("outOfStock"));
  return h("span.chip.is-warning", null, t("lowStock", { count: available }));
}

/** @param {Product} product */
export function productCard(product) {
  const { id, title, images, variants, availability } = product;
  const buy = variants.length > 0 || availability === "outOfStock"
    ? h(
      "a.button.wide",
      { href: link(`/products/${id}`), "aria-label": `${t(variants.length > 0 ? "choose" : "look")}: ${title}` },
      t(variants.length > 0 ? "choose" : "look"),
    )
    : actionButton({
      label: t("addToCart"),
      icon: "cart",
      class: "soft-accent wide",
      props: { "aria-label": `${t("addToCart")}: ${title}` },
      run: () => addToCart({ productID: id }),
    });
  return h(
    "article.product-card",
    null,
    h(
      "a.product-link",
      { href: link(`/products/${id}`) },
      picture(images[0], { alt: "", sizes: "(min-width: 60rem) 16rem, 45vw", ratio: "4 / 5" }),
      h("span.product-title", null, title),
    ),
    h("p.spread.product-facts", null, h("span.price", null, priceText(product)), stockChip(product)),
    buy,
  );
}
