// @ts-check
import { call, pages } from "../../../shared/api.js";
import { openDialog } from "../../../shared/components/dialog.js";
import { actionButton, form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { listView, paged } from "../../../shared/components/list.js";
import { content } from "../../../shared/media.js";
import { link } from "../../../shared/router.js";
import { text } from "../../../shared/text.js";
import { h } from "../../../shared/view.js";
import { study } from "../../study.js";
import { t } from "../../strings.js";

/** @import { Course, CourseMaterial } from "../../../../Types/api.d.ts" */

/** Texts, links, files and sets of a course. @param {Course} course @param {boolean} isTeacher */
export function materials({ id: course }, isTeacher) {
  const list = paged((signal) => pages("GET /v1/courses/{course}/materials", { course }, { signal }));
  const add = () =>
    openDialog({
      title: t("newMaterial"),
      build: (close) =>
        form({
          fields: [
            { name: "title", label: t("title"), required: true, props: { maxlength: 120 } },
            {
              name: "set",
              label: t("studySet"),
              kind: "select",
              options: [
                { value: "", label: t("none") },
                ...study().model.sets.get().map((it) => ({ value: it.id, label: it.title })),
              ],
            },
            { name: "url", label: t("webAddress"), kind: "url", props: { placeholder: "https://" } },
            { name: "text", label: t("text"), kind: "textarea", props: { maxlength: 10_000 } },
          ],
          submit: text("add"),
          oncancel: () => close(),
          onsubmit: async ({ title, ...one }, { key }) => {
            if (study().store.pending.get() > 0) await study().sync.run();
            const content = one.set ? { set: one.set } : one.url ? { url: one.url } : { text: one.text };
            await call("POST /v1/courses/{course}/materials", { course, body: { title, ...content } }, { key });
            close();
            await list.reload();
          },
        }),
    });
  return h(
    "div.stack",
    null,
    isTeacher &&
      h("div.row", null, h("button.button.primary", { type: "button", onclick: add }, icon("add"), t("newMaterial"))),
    listView(list, {
      key: (it) => it.id,
      label: t("materials"),
      empty: { icon: "book", title: t("noMaterials") },
      render: (item) => {
        const material = item.get();
        const remove = async () => {
          await call("DELETE /v1/courses/{course}/materials/{id}", { course, id: material.id });
          await list.reload();
        };
        return h(
          "div",
          null,
          icon(material.kind === "set" ? "card" : material.kind === "link" ? "link" : "book"),
          h("div.grow", null, h("strong", null, material.title), body(material)),
          isTeacher && actionButton({ label: t("remove"), run: remove, class: "quiet small" }),
        );
      },
    }),
  );
}

/** @param {CourseMaterial} material */
function body({ kind, text: words, url, media, set }) {
  if (kind === "text") return h("p.soft.prewrap", null, words);
  const external = { target: "_blank", rel: "noopener noreferrer" };
  if (kind === "link") return h("p", null, h("a", { href: url, ...external }, url));
  if (kind === "media" && media) return h("p", null, h("a", { href: content(media), ...external }, t("openFile")));
  return h("p", null, h("a", { href: link(`/sets/${set}`) }, t("openSet")));
}
