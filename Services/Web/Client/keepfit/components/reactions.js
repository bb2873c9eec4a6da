// @ts-check
/** Reactions to what followers see: three of our own, and those that other clients have sent. */
import { number } from "../../shared/language.js";
import { changeAtOnce } from "../../shared/components/attempt.js";
import { h, state } from "../../shared/view.js";
import { sign } from "./signs.js";
import { t } from "../strings.js";

/** @import { FollowerReaction } from "../../../Types/api.d.ts" */

/** @type {{ emoji: string, sign: import("./signs.js").Sign, label: "love" | "fire" | "thumb" }[]} */
const OFFERED = [
  { emoji: "❤️", sign: "love", label: "love" },
  { emoji: "🔥", sign: "burn", label: "fire" },
  { emoji: "👍", sign: "approve", label: "thumb" },
];

/**
 * @param {FollowerReaction[]} reactions
 * @param {string} emoji
 * @returns {FollowerReaction[]} as they are after the user has given or taken back one
 */
export function toggled(reactions, emoji) {
  const known = reactions.find((it) => it.emoji === emoji);
  if (!known) return [...reactions, { emoji, count: 1, isMine: true }];
  const changed = { ...known, isMine: !known.isMine, count: known.count + (known.isMine ? -1 : 1) };
  return reactions.map((it) => it === known ? changed : it).filter((it) => it.count > 0);
}

/**
 * @param {FollowerReaction[]} initial
 * @param {(emoji: string, isGiven: boolean) => Promise<unknown>} [change] absent for one's own, which are only shown
 */
export function reactionBar(initial, change) {
  const reactions = state(initial);
  const find = (/** @type {string} */ emoji) => reactions.get().find((it) => it.emoji === emoji);
  const others = () => reactions.get().filter((it) => !OFFERED.some(({ emoji }) => emoji === it.emoji));

  const toggle = (/** @type {string} */ emoji) =>
    changeAtOnce(
      reactions,
      toggled(reactions.get(), emoji),
      async () => await change?.(emoji, Boolean(find(emoji)?.isMine)),
    );

  const count = (/** @type {string} */ emoji) => find(emoji)?.count ?? 0;
  const button = (/** @type {typeof OFFERED[number]} */ { emoji, sign: name, label }) =>
    h(
      "button.reaction",
      {
        type: "button",
        "aria-pressed": () => String(find(emoji)?.isMine ?? false),
        "aria-label": () => t("reaction", { reaction: t(label), count: count(emoji) }),
        onclick: () => toggle(emoji),
      },
      sign(name),
      () => count(emoji) > 0 && h("span.number", null, number(count(emoji))),
    );
  const shown = (/** @type {typeof OFFERED[number]} */ { emoji, sign: name, label }) => () =>
    count(emoji) > 0 &&
    h(
      "span.reaction",
      { role: "img", "aria-label": t("reaction", { reaction: t(label), count: count(emoji) }) },
      sign(name),
      number(count(emoji)),
    );
  return h(
    "div.reactions",
    { role: "group", "aria-label": t("reactions") },
    OFFERED.map((it) => change ? button(it) : shown(it)),
    () => others().map((it) => h("span.reaction", null, it.emoji, number(it.count))),
  );
}
