// @ts-check
import { picture } from "../../shared/components/picture.js";
import { icon } from "../../shared/components/icon.js";
import { date, number } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Post } from "../../../Types/api.d.ts" */

/** A post's date is a day, the same everywhere. @param {string} day */
export const postDate = (day) => date(`${day.slice(0, 10)}T00:00:00Z`, { dateStyle: "long", timeZone: "UTC" });

/** @param {Post} post */
export const postCard = (post) =>
  h(
    "a.card.post-card",
    { href: link(`/blog/${post.id}`) },
    picture(post.media, { alt: "", ratio: "16 / 10", sizes: "(min-width: 60rem) 22rem, 90vw" }),
    h(
      "span.post-card-text",
      null,
      h("span.eyebrow", null, postDate(post.date)),
      h("span.post-card-title", null, post.title),
      post.description && h("span.soft.small-text.clamped", null, post.description),
      h(
        "span.row.soft.small-text",
        null,
        h(
          "span.row.count",
          null,
          icon("heart"),
          h("span.visually-hidden", null, `${t("likes")}: `),
          number(post.likeCount),
        ),
        h(
          "span.row.count",
          null,
          icon("chat"),
          h("span.visually-hidden", null, `${t("comments")}: `),
          number(post.commentCount),
        ),
      ),
    ),
  );
