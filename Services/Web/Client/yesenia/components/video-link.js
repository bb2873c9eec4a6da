// @ts-check
/** Videos on YouTube open there, as the policy of these pages lets no other site inside. */
import { icon } from "../../shared/components/icon.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

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
