// @ts-check
import { call, pages } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { menu } from "../../shared/components/menu.js";
import { avatar } from "../../shared/components/picture.js";
import { relative } from "../../shared/language.js";
import { link, refresh } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { isActive, mayTeach } from "../components/course/access.js";
import { action, removal } from "../components/course/actions.js";
import { countTime } from "../components/course/time.js";
import { hueOf } from "../components/set-card.js";
import { t } from "../components/course/strings.js";

/** @import { Course, Discussion, DiscussionReply } from "../../../Types/api.d.ts" */
/** @import { MenuItem } from "../../shared/components/menu.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params, signal }) {
  const [discussion, course] = await Promise.all([
    call("GET /v1/courses/{course}/discussions/{id}", { course: params.course, id: params.id }, { signal }),
    call("GET /v1/courses/{id}", { id: params.course }, { signal }),
  ]);
  return { discussion, course };
}

/** A discussion of a course, with its replies. @param {Awaited<ReturnType<typeof load>>} data */
export default function discussionScreen({ discussion, course }) {
  const path = { course: course.id, discussion: discussion.id };
  const list = paged((signal) => pages("GET /v1/courses/{course}/discussions/{discussion}/replies", path, { signal }));
  // whoever teaches has the last word
  const isOpen = isActive(course) && (!discussion.isLocked || mayTeach(course));
  const round = state(0);
  countTime();
  return h(
    "div.stack.prose",
    { style: { "--hue": hueOf(course.id) } },
    h(
      "header.set-head",
      null,
      h(
        "a.button.quiet.small.back-link",
        { href: link(`/courses/${course.id}`, { tab: "discussions" }) },
        icon("back"),
        course.title,
      ),
      h(
        "div.spread",
        null,
        h("h1", null, discussion.title ?? t("removed")),
        actionMenu(t("moreActions"), actions(course, discussion, isOpen)),
      ),
    ),
    h("article.card", null, contribution(discussion, [])),
    h("h2", null, t("replies")),
    listView(list, {
      key: (it) => it.id,
      label: t("replies"),
      empty: { icon: "chat", title: t("noReplies") },
      render: (item) => {
        const reply = item.get();
        return h("article", null, contribution(reply, replyActions(course, discussion, reply, isOpen, list.reload)));
      },
    }),
    discussion.isLocked && h("p.notice", null, t("locked")),
    isOpen && h("section.card", null, () => {
      round.get();
      return replyForm(path, async () => {
        round.update((it) => it + 1);
        await list.reload();
      });
    }),
  );
}

/** @param {{ course: string, discussion: string }} path @param {() => Promise<void>} done */
const replyForm = (path, done) =>
  form({
    fields: [{ name: "text", label: t("yourReply"), kind: "textarea", required: true, props: { maxlength: 10_000 } }],
    submit: t("reply"),
    onsubmit: async (body, { key }) => {
      await call("POST /v1/courses/{course}/discussions/{discussion}/replies", { ...path, body }, { key });
      await done();
    },
  });

/** @param {string} label @param {MenuItem[]} items */
const actionMenu = (label, items) => items.length > 0 && menu({ label, items: () => items });

/** @param {Course} course @param {Discussion} discussion @param {boolean} isOpen @returns {MenuItem[]} */
function actions(course, discussion, isOpen) {
  const { version, isLocked } = discussion;
  const path = { course: course.id, id: discussion.id };
  const [isThere, isOwn] = [discussion.text !== undefined, discussion.authorID === user.get()?.id];
  /** @param {{ title?: string, text?: string, isLocked?: boolean }} body */
  const change = async (body) => {
    await call("PATCH /v1/courses/{course}/discussions/{id}", { ...path, body }, { version });
    await refresh();
  };
  const edit = () =>
    openDialog({
      title: t("editDiscussion"),
      build: (close) =>
        form({
          fields: [
            { name: "title", label: t("title"), value: discussion.title, required: true, props: { maxlength: 120 } },
            contributionField(discussion),
          ],
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async (body) => {
            await change(body);
            close();
          },
        }),
    });
  const remove = removal({
    title: t("deleteDiscussion"),
    message: t("deleteDiscussionMessage"),
    run: async () => {
      await call("DELETE /v1/courses/{course}/discussions/{id}", path);
      await refresh();
    },
  });
  return [
    ...(isThere && isOwn && isOpen ? [action(t("edit"), "edit", edit)] : []),
    ...(mayTeach(course)
      ? [action(t(isLocked ? "unlock" : "lock"), "lock", () => change({ isLocked: !isLocked }))]
      : []),
    ...(isThere && isActive(course) && (isOwn || mayTeach(course)) ? [remove] : []),
  ];
}

/**
 * @param {Course} course @param {Discussion} discussion @param {DiscussionReply} reply @param {boolean} isOpen
 * @param {() => Promise<void>} reload @returns {MenuItem[]}
 */
function replyActions(course, discussion, reply, isOpen, reload) {
  if (reply.text === undefined || !isActive(course)) return [];
  const path = { course: course.id, discussion: discussion.id, id: reply.id };
  const isOwn = reply.authorID === user.get()?.id;
  const edit = () =>
    openDialog({
      title: t("editReply"),
      build: (close) =>
        form({
          fields: [contributionField(reply)],
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async (body) => {
            await call("PATCH /v1/courses/{course}/discussions/{discussion}/replies/{id}", { ...path, body }, {
              version: reply.version,
            });
            close();
            await reload();
          },
        }),
    });
  const remove = removal({
    title: t("deleteReply"),
    run: async () => {
      await call("DELETE /v1/courses/{course}/discussions/{discussion}/replies/{id}", path);
      await reload();
    },
  });
  return [
    ...(isOwn && isOpen ? [action(t("edit"), "edit", edit)] : []),
    ...(isOwn || mayTeach(course) ? [remove] : []),
  ];
}

/** @param {Discussion | DiscussionReply} it */
const contributionField = (it) => ({
  name: "text",
  label: t("text"),
  kind: "textarea",
  value: it.text,
  required: true,
  props: { maxlength: 10_000 },
});

/** @param {Discussion | DiscussionReply} it @param {MenuItem[]} items */
function contribution({ author, text: words, createdAt, editedAt }, items) {
  const name = author?.displayName ?? t("unknownPerson");
  return h(
    "div.contribution",
    null,
    avatar(author, { size: "small" }),
    h(
      "div.grow",
      null,
      h(
        "p.small-text",
        null,
        h("strong", null, name),
        " ",
        h("span.soft", null, relative(createdAt), editedAt && ` · ${t("edited")}`),
      ),
      h("p.prewrap", null, words ?? t("removed")),
    ),
    actionMenu(t("actionsFor", { title: name }), items),
  );
}
