// @ts-check
import { call, pages } from "../../shared/api.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { menu } from "../../shared/components/menu.js";
import { avatar, picture } from "../../shared/components/picture.js";
import { shareButton } from "../../shared/components/share.js";
import { number, relative } from "../../shared/language.js";
import { link, toSignIn } from "../../shared/router.js";
import { hasAccount, user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { postDate } from "../components/posts.js";
import { t } from "../strings.js";
import { paragraphs } from "../components/paragraphs.js";

/** @import { Comment, Post } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ params, signal }) => call("GET /v1/posts/{id}", { id: params.id }, { signal });

/** @param {Post} post */
export default function postScreen(post) {
  return h(
    "article.post",
    null,
    h("p.eyebrow", null, h("a", { href: link("/blog") }, t("blog")), " · ", postDate(post.date)),
    h("h1", null, post.title),
    post.media &&
      picture(post.media, { alt: "", ratio: "16 / 9", sizes: "(min-width: 60rem) 42rem, 95vw", isUrgent: true }),
    h("div.description.post-body", null, paragraphs(post.description ?? "")),
    h(
      "p.row",
      null,
      likeButton(post),
      shareButton({ kind: "post", id: post.id, title: post.title, label: t("share"), copied: t("linkCopied") }),
      post.mediaLink && h(
        "a.button",
        { href: post.mediaLink, target: "_blank", rel: "noopener" },
        icon("play"),
        t("watch", { host: new URL(post.mediaLink).hostname.replace("www.", "") }),
        icon("external"),
      ),
    ),
    comments(post),
  );
}

/** @param {Post} post */
function likeButton({ id, isLiked, likeCount }) {
  const liked = state(isLiked ?? false);
  const others = likeCount - (isLiked ? 1 : 0);
  const like = async () => {
    if (!hasAccount()) return toSignIn();
    const wants = !liked.get();
    await call(wants ? "PUT /v1/posts/{id}/like" : "DELETE /v1/posts/{id}/like", { id });
    liked.set(wants);
  };
  const shown = () => h("span.number", null, number(others + (liked.get() ? 1 : 0)));
  return h(
    "span.row.like",
    null,
    actionButton({
      label: t("like"),
      icon: "heart",
      run: like,
      props: { "aria-pressed": () => String(liked.get()) },
    }),
    h("span.soft.small-text", null, shown, " ", t("likes")),
  );
}

/** @param {Post} post */
function comments({ id }) {
  const list = paged((signal) => pages("GET /v1/posts/{id}/comments", { id, limit: 20 }, { signal }));
  const isWritten = state(0);
  const send = async (/** @type {{ text: string }} */ body, /** @type {{ key: string }} */ { key }) => {
    const added = await call("POST /v1/posts/{id}/comments", { id, body }, { key });
    list.items.update((known) => [added, ...known]);
    isWritten.update((it) => it + 1);
  };
  const writing = () => {
    isWritten.get();
    return form({
      fields: [{
        name: "text",
        label: t("yourComment"),
        kind: "textarea",
        required: true,
        props: { maxlength: 2000, rows: 2 },
      }],
      submit: t("comment"),
      compact: true,
      onsubmit: send,
    });
  };
  return h(
    "section.stack.comments",
    null,
    h("h2", null, t("comments")),
    () =>
      hasAccount() ? writing : h(
        "p.notice.spread",
        null,
        t("commentSignIn"),
        h("button.button", { type: "button", onclick: toSignIn }, text("signIn")),
      ),
    listView(list, {
      key: (it) => it.id,
      render: (item) => h("div.comment", null, () => comment(item.get(), list.items)),
      label: t("comments"),
      class: "comment-list",
      empty: { icon: "chat", title: t("noComments") },
    }),
  );
}

/**
 * @param {Comment} comment
 * @param {State<Comment[]>} items
 */
function comment({ id, author, authorID, text: words, createdAt }, items) {
  const remove = async () => {
    await call("DELETE /v1/comments/{id}", { id });
    items.update((known) => known.filter((it) => it.id !== id));
  };
  return [
    avatar(author, { size: "small" }),
    h(
      "div.grow",
      null,
      h(
        "p.small-text",
        null,
        h("strong", null, author?.displayName ?? t("someone")),
        " ",
        h("span.soft", null, relative(createdAt)),
      ),
      h("p", null, words ?? t("deletedComment")),
    ),
    authorID !== undefined && authorID === user.get()?.id &&
    menu({
      label: t("commentMenu"),
      items: () => [{ label: text("delete"), icon: "trash", isDangerous: true, run: remove }],
    }),
  ];
}
