// @ts-check
import { call, pages } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { avatar } from "../../shared/components/picture.js";
import { relative } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Discussion, DiscussionReply } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ params: { course, id }, signal }) =>
  call("GET /v1/courses/{course}/discussions/{id}", { course, id }, { signal });

/** A discussion of a course, with its replies. @param {Discussion} discussion @param {import("../../shared/router.js").Visit} visit */
export default function discussionScreen(discussion, { params: { course } }) {
  const { id } = discussion;
  const list = paged((signal) =>
    pages("GET /v1/courses/{course}/discussions/{discussion}/replies", { course, discussion: id }, { signal })
  );
  const round = state(0);
  const reply = () =>
    form({
      fields: [{ name: "text", label: t("yourReply"), kind: "textarea", required: true, props: { maxlength: 10_000 } }],
      submit: t("reply"),
      onsubmit: async (body, { key }) => {
        await call("POST /v1/courses/{course}/discussions/{discussion}/replies", { course, discussion: id, body }, {
          key,
        });
        await list.reload();
        round.update((it) => it + 1);
      },
    });
  return h(
    "div.stack.prose",
    null,
    h(
      "a.button.quiet.small.back-link",
      { href: link(`/courses/${course}`, { tab: "discussions" }) },
      icon("back"),
      t("discussions"),
    ),
    h("h1", null, discussion.title ?? t("removed")),
    h("article.card", null, contribution(discussion)),
    listView(list, {
      key: (it) => it.id,
      label: t("replies"),
      empty: { icon: "chat", title: t("noReplies") },
      render: (item) => h("article", null, contribution(item.get())),
    }),
    discussion.isLocked ? h("p.notice", null, t("locked")) : h("section.card", null, () => {
      round.get();
      return reply();
    }),
  );
}

/** @param {Discussion | DiscussionReply} it */
function contribution({ author, text, createdAt, editedAt }) {
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
        h("strong", null, author?.displayName ?? t("unknownPerson")),
        " ",
        h("span.soft", null, relative(createdAt), editedAt && ` · ${t("edited")}`),
      ),
      h("p.prewrap", null, text ?? t("removed")),
    ),
  );
}
