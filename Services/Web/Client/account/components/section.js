// @ts-check
/** The forms that all screens of the account have: cards with lines of settings. */
import { h } from "../../shared/view.js";

/** @import { Child } from "../../shared/view.js" */

/**
 * @param {string} title
 * @param {string | null} intro
 * @param {...Child} children
 */
export const section = (title, intro, ...children) =>
  h(
    "section.card.stack",
    null,
    h("div", null, h("h2", null, title), intro && h("p.soft.small-text", null, intro)),
    ...children,
  );

/**
 * A setting: what it is, how it is, what can be done.
 * @param {{ title: Child, detail?: Child, actions?: Child }} content
 */
export const line = ({ title, detail, actions }) =>
  h(
    "div.line",
    null,
    h("div.line-main", null, h("p.line-title", null, title), detail && h("p.soft.small-text", null, detail)),
    actions && h("div.row", null, actions),
  );
