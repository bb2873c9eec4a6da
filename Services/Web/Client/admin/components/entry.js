// @ts-check
/** A line of a list: what it is, what belongs to it, and its state at the end. */
import { h } from "../../shared/view.js";

/** @import { Child } from "../../shared/view.js" */
/** @typedef {"" | "is-accent" | "is-success" | "is-warning" | "is-danger"} Tone */

/**
 * @param {{ href?: string, start?: Child, title: Child, details?: Child[], end?: Child }} content
 *   - `details`: short texts below the title, with dots between them
 */
export const entry = ({ href, start, title, details = [], end }) =>
  h(
    href ? "a.entry" : "div.entry",
    href ? { href } : null,
    start,
    h(
      "span.entry-main",
      null,
      h("span.entry-title", null, title),
      h("span.entry-details", null, details.filter(Boolean).map((it) => h("span", null, it))),
    ),
    end && h("span.entry-end", null, end),
  );

/**
 * @param {string} label
 * @param {Tone} [tone]
 */
export const chip = (label, tone = "") => h("span.chip", { class: tone }, label);

/**
 * Names and values.
 * @param {(readonly [string, Child] | false | null | undefined | "")[]} pairs
 */
export const facts = (pairs) =>
  h(
    "dl.facts",
    null,
    pairs.filter((it) => it && it[1] !== undefined && it[1] !== null && it[1] !== "").map((it) =>
      it && [h("dt", null, it[0]), h("dd", null, it[1])]
    ),
  );
