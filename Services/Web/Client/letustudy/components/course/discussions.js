// @ts-check
import { call, pages } from "../../../shared/api.js";
import { openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { listView, paged } from "../../../shared/components/list.js";
import { avatar } from "../../../shared/components/picture.js";
import { relative } from "../../../shared/language.js";
import { link } from "../../../shared/router.js";
import { h } from "../../../shared/view.js";
import { t } from "./strings.js";
import { isActive } from "./access.js";

/** @import { Course } from "../../../../Types/api.d.ts" */

/** Questions and answers of a course. @param {Course} loaded */
export function discussions(loaded) {
  const { id: course } = loaded;
  const list = paged((signal) => pages("GET /v1/courses/{course}/discussions", { course }, { signal }));
  const add = () =>
    openDialog({
      title: t("newDiscussion"),
      build: (close) =>
        form({
          fields: [
            { name: "title", label: t("title"), required: true, props: { maxlength: 120 } },
            { name: "text", label: t("text"), kind: "textarea", required: true, props: { maxlength: 10_000 } },
          ],
          submit: t("newDiscussion"),
          oncancel: () => close(),
          onsubmit: async (body, { key }) => {
            await call("POST /v1/courses/{course}/discussions", { course, body }, { key });
            close();
            await list.reload();
          },
        }),
    });
  return h(
    "div.stack",
    null,
    isActive(loaded) &&
      h("div.row", null, h("button.button.primary", { type: "button", onclick: add }, icon("add"), t("newDiscussion"))),
    listView(list, {
      key: (it) => it.id,
      label: t("discussions"),
      empty: { icon: "chat", title: t("noDiscussions") },
      render: (item) => {
        const { id, title, author, replyCount, createdAt } = item.get();
        return h(
          "a",
          { href: link(`/courses/${course}/discussions/${id}`) },
          avatar(author, { size: "small" }),
          h(
            "span.grow",
            null,
            h("strong", null, title ?? t("removed")),
            h("br"),
            h("span.soft.small-text", null, `${author?.displayName ?? t("unknownPerson")} · ${relative(createdAt)}`),
          ),
          h("span.chip", null, icon("chat"), replyCount),
        );
      },
    }),
  );
}
