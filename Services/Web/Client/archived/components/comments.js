// @ts-check
/** Comments below a listing, with replies. */
import { call, pages } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { form } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { menu } from "../../shared/components/menu.js";
import { avatar } from "../../shared/components/picture.js";
import { problemText } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { followed } from "../../shared/followed.js";
import { relative } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { each, h, state } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { personLink } from "./listings.js";
import { commentLikeButton } from "./reactions.js";

/** @import { Comment, Listing } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @param {Listing} listing */
export function comments({ id, commentCount }) {
  const feed = paged((signal) => pages("GET /v1/listings/{id}/comments", { id }, { signal }));
  const count = state(commentCount);
  const newest = async () => {
    const [page, listing] = await Promise.all([
      call("GET /v1/listings/{id}/comments", { id }),
      call("GET /v1/listings/{id}", { id }),
    ]).catch(() => []);
    if (!page || !listing) return;
    const ids = new Set(page.items.map((it) => it.id));
    feed.items.update((all) => [...page.items, ...all.filter((it) => !ids.has(it.id))]);
    count.set(listing.commentCount);
  };
  followed(`listing:${id}`, newest);
  on("comment.*", (data, name) => {
    if (data.listing !== id) return;
    const isKnown = feed.items.get().some((it) => it.id === data.comment && it.version === data.version);
    // one with replies stays, without its text
    if (name === "comment.deleted") feed.items.update((all) => all.filter((it) => it.id !== data.comment));
    else if (isKnown) return;
    newest();
  });
  const send = async (/** @type {any} */ body, /** @type {{ key: string }} */ { key }) => {
    const comment = await call("POST /v1/listings/{id}/comments", { id, body }, { key });
    feed.items.update((all) => all.some((it) => it.id === comment.id) ? all : [comment, ...all]);
    count.update((it) => it + 1);
    write.reset();
  };
  const write = commentForm(t("writeComment"), t("comment"), send);
  return h(
    "section.stack.comments",
    { "aria-labelledby": "comments" },
    h("h2", { id: "comments" }, () => t("comments", { count: count.get() })),
    write,
    listView(feed, {
      key: (it) => it.id,
      render: (it) => commentView(it, feed.items),
      class: "comment-list",
      label: t("commentList"),
      empty: { icon: "chat", title: t("noComments"), message: t("noCommentsHint") },
    }),
  );
}

/**
 * @param {string} label
 * @param {string} submit
 * @param {(values: any, attempt: { key: string }) => Promise<void>} onsubmit
 * @param {string} [value]
 */
const commentForm = (label, submit, onsubmit, value) =>
  form({
    fields: [{ name: "text", label, kind: "textarea", required: true, value, props: { rows: 2, maxlength: 1000 } }],
    submit,
    onsubmit,
    compact: true,
  });

/**
 * @param {State<Comment>} item
 * @param {State<Comment[]>} siblings
 * @returns {HTMLElement}
 */
function commentView(item, siblings) {
  const { id, authorID, author, createdAt } = item.get();
  const isOwn = authorID === user.get()?.id;
  const isReply = Boolean(item.get().parentID);
  const mode = state(/** @type {"read" | "edit" | "reply"} */ ("read"));
  const replies = state(/** @type {Comment[] | null} */ (null));
  const replace = (/** @type {Comment} */ changed) =>
    siblings.update((all) => all.map((it) => it.id === id ? { ...it, ...changed } : it));
  const showReplies = async () => replies.set((await call("GET /v1/comments/{id}/replies", { id, limit: 100 })).items);
  const remove = async () => {
    const question = { title: t("deleteComment"), confirm: text("delete"), isDangerous: true };
    if (!await confirmDialog(question)) return;
    try {
      await call("DELETE /v1/comments/{id}", { id });
      siblings.update((all) => all.filter((it) => it.id !== id));
    } catch (error) {
      toast(problemText(error), { kind: "error" });
    }
  };
  return h(
    "article.comment",
    null,
    avatar(author, { size: "small" }),
    h(
      "div.comment-body",
      null,
      h(
        "p.small-text",
        null,
        h("strong", null, personLink(author)),
        " ",
        h("span.soft", null, relative(createdAt), () => item.get().editedAt && ` · ${t("edited")}`),
      ),
      () =>
        mode.get() === "edit"
          ? commentForm(t("editComment"), text("save"), async (body) => {
            replace(await call("PATCH /v1/comments/{id}", { id, body }, { version: item.get().version }));
            mode.set("read");
          }, item.get().text)
          : h("p", null, item.get().text ?? h("em.soft", null, t("commentGone"))),
      h(
        "div.row.comment-actions",
        null,
        commentLikeButton(item.get()),
        !isReply &&
          h("button.button.quiet.small", {
            type: "button",
            onclick: () => mode.set(mode.get() === "reply" ? "read" : "reply"),
          }, t("reply")),
        () =>
          !isReply && item.get().replyCount > 0 && replies.get() === null &&
          h(
            "button.button.quiet.small",
            { type: "button", onclick: showReplies },
            t("replies", {
              count: item.get().replyCount,
            }),
          ),
        isOwn && menu({
          label: t("moreActions"),
          items: () => [
            { label: t("editComment"), icon: "edit", run: () => mode.set("edit") },
            { label: text("delete"), icon: "trash", run: remove, isDangerous: true },
          ],
        }),
      ),
      () =>
        mode.get() === "reply" &&
        commentForm(t("writeReply"), t("reply"), async (body, { key }) => {
          const reply = await call("POST /v1/comments/{id}/replies", { id, body }, { key });
          if (item.get().replyCount > 0 && replies.get() === null) await showReplies();
          else replies.update((all) => [...(all ?? []), reply]);
          mode.set("read");
        }),
      h(
        "ul.replies",
        { role: "list", "aria-label": t("replyList"), hidden: () => !replies.get()?.length },
        each(
          () => replies.get() ?? [],
          (it) => it.id,
          (it) => h("li", null, commentView(it, /** @type {State<Comment[]>} */ (replies))),
        ),
      ),
    ),
  );
}
