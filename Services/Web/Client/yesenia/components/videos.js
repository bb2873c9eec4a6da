// @ts-check
/** Videos: those on YouTube open there, our own play in place. */
import { videoPlayer } from "../../shared/components/player.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { videoLink } from "./video-link.js";

/** @import { Media } from "../../../Types/api.d.ts" */

/** @param {Media} video */
export function videoCard(video) {
  const title = video.title ?? t("video");
  const description = video.description && h("p.soft.small-text", null, video.description);
  if (video.link) return h("article", null, videoLink({ title, link: video.link.url }), description);
  return h(
    "article.stack.video-own",
    null,
    videoPlayer({ media: video.id, title }),
    h("p.video-title", null, title),
    description,
  );
}
