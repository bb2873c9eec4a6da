// @ts-check
/** Cards of videos. */
import { icon } from "../../shared/components/icon.js";
import { picture } from "../../shared/components/picture.js";
import { clockTime, relative } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { findPerson } from "../people.js";
import { t } from "../strings.js";
import { word } from "../words.js";

/** @import { Media } from "../../../Types/api.d.ts" */

/**
 * @param {Media} video
 * @param {{ hasOwner?: boolean }} [options]
 */
export function videoCard(video, { hasOwner = true } = {}) {
  const owner = state("");
  if (hasOwner) findPerson(video.owner).then((it) => owner.set(it?.displayName ?? t("someone")));
  return h(
    "a.video-card",
    { href: link(`/explore/videos/${video.id}`) },
    h(
      "span.video-frame",
      null,
      picture(video.state === "ready" && !video.link ? video.id : undefined, {
        alt: "",
        ratio: "16 / 9",
        thumbHash: video.thumbHash,
        sizes: "(min-width: 60rem) 18rem, (min-width: 32rem) 50vw, 100vw",
      }),
      video.state === "ready"
        ? h("span.video-play", null, icon("play"))
        : h("span.chip.video-state", null, t(video.state === "failed" ? "videoFailed" : "videoPreparing")),
      video.milliseconds && h("span.video-length.number", null, clockTime(video.milliseconds)),
    ),
    h("span.post-title", null, video.title ?? t("untitled")),
    h(
      "span.soft.small-text",
      null,
      () =>
        [owner.get(), video.workoutType && word("workoutType", video.workoutType), relative(video.createdAt)].filter(
          Boolean,
        ).join(" · "),
    ),
  );
}
