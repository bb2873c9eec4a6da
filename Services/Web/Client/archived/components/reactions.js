// @ts-check
/** Likes and the archive: shown at once, and taken back when the platform refuses. */
import { call } from "../../shared/api.js";
import { changeAtOnce } from "../../shared/components/attempt.js";
import { icon } from "../../shared/components/icon.js";
import { number } from "../../shared/language.js";
import { h, state } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Comment, ListingSummary } from "../../../Types/api.d.ts" */
/** @import { IconName } from "../../shared/components/icon.js" */

/**
 * @param {{ icon: IconName, isOn: boolean, count: number, label: (count: number) => string,
 *   set: (isOn: boolean) => Promise<unknown> }} options
 */
function reactionButton({ icon: name, isOn, count, label, set }) {
  const mark = state({ isOn, count });
  const flip = () => {
    const { isOn, count } = mark.get();
    return changeAtOnce(mark, { isOn: !isOn, count: count + (isOn ? -1 : 1) }, () => set(!isOn));
  };
  return h(
    "button.button.quiet.small.reaction",
    {
      type: "button",
      "aria-pressed": () => String(mark.get().isOn),
      "aria-label": () => label(mark.get().count),
      onclick: flip,
    },
    icon(name),
    h("span.number", null, () => number(mark.get().count)),
  );
}

/** @param {ListingSummary} listing */
export const likeButton = ({ id, isLiked, likeCount }) =>
  reactionButton({
    icon: "heart",
    isOn: isLiked,
    count: likeCount,
    label: (count) => t("likes", { count }),
    set: (isOn) => isOn ? call("PUT /v1/listings/{id}/like", { id }) : call("DELETE /v1/listings/{id}/like", { id }),
  });

/** @param {ListingSummary} listing */
export const archiveButton = ({ id, isArchived, archiveCount }) =>
  reactionButton({
    icon: "archive",
    isOn: isArchived,
    count: archiveCount,
    label: (count) => t("archived", { count }),
    set: (isOn) =>
      isOn ? call("PUT /v1/listings/{id}/archive", { id }) : call("DELETE /v1/listings/{id}/archive", { id }),
  });

/** @param {Comment} comment */
export const commentLikeButton = ({ id, isLiked, likeCount }) =>
  reactionButton({
    icon: "heart",
    isOn: isLiked ?? false,
    count: likeCount,
    label: (count) => t("likes", { count }),
    set: (isOn) => isOn ? call("PUT /v1/comments/{id}/like", { id }) : call("DELETE /v1/comments/{id}/like", { id }),
  });
