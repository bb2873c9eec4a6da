// @ts-check
import { h } from "../view.js";

/**
 * A card in the middle with a heading, as all screens of signing in have it.
 * @param {string} product
 * @param {string} heading
 * @param {...import("../view.js").Child} children
 */
export const signInCard = (product, heading, ...children) =>
  h(
    "div.sign-in",
    null,
    h("div.card.sign-in-card", null, h("p.eyebrow", null, product), h("h1", null, heading), ...children),
  );
