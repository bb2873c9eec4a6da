// @ts-check
/** Videos: those on YouTube open there, as the policy of these pages lets no other site inside; our own play in place. */
import { videoPlayer } from "../../shared/components/player.js";
import { icon } from "../../shared/components/icon.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Media } from "../../../Types/api.d.ts" */

/** The colors of drawn posters; the same title has the same one. @param {string} title */
const hueOf = (title) => [...title].reduce((sum, it) => (sum * 31 + it.charCodeAt(0)) % 360, 11);

/** @param {{ title: string, link: string, note?: string }} video */
export const videoLink = ({ title, link, note }) =>
  h(
    "a.video-card",
    { href: link, target: "_blank", rel: "noopener" },
    h("span.video-poster", { style: { "--poster": hueOf(title) } }, h("span.video-play", null, icon("play"))),
    h("span.video-title", null, title),
    h("span.video-note", null, note, note && " · ", t("onYouTube"), icon("external")),
  );

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
