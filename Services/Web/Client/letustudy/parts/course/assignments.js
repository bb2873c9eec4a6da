// @ts-check
import { call, pages } from "../../../shared/api.js";
import { openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { listView, paged } from "../../../shared/components/list.js";
import { dateTime } from "../../../shared/language.js";
import { link } from "../../../shared/router.js";
import { h } from "../../../shared/view.js";
import { t } from "../../strings.js";

/** @import { Course } from "../../../../Types/api.d.ts" */

/** Work and tests with their due dates. @param {Course} course @param {boolean} isTeacher */
export function assignments({ id: course }, isTeacher) {
  const list = paged((signal) => pages("GET /v1/courses/{course}/assignments", { course }, { signal }));
  const add = () =>
    openDialog({
      title: t("newAssignment"),
      build: (close) =>
        form({
          fields: [
            { name: "title", label: t("title"), required: true, props: { maxlength: 120 } },
            { name: "instructions", label: t("instructions"), kind: "textarea", props: { maxlength: 10_000 } },
            {
              name: "points",
              label: t("points"),
              kind: "number",
              value: 100,
              required: true,
              props: { min: 0, max: 1_000_000 },
            },
            { name: "dueAt", label: t("dueAt"), kind: "datetime-local" },
          ],
          submit: t("publishAssignment"),
          oncancel: () => close(),
          onsubmit: async ({ dueAt, ...values }, { key }) => {
            const due = dueAt ? new Date(dueAt).toISOString() : undefined;
            const body = { ...values, dueAt: due, state: "published" };
            await call("POST /v1/courses/{course}/assignments", { course, body }, { key });
            close();
            await list.reload();
          },
        }),
    });
  return h(
    "div.stack",
    null,
    isTeacher &&
      h("div.row", null, h("button.button.primary", { type: "button", onclick: add }, icon("add"), t("newAssignment"))),
    listView(list, {
      key: (it) => it.id,
      label: t("assignments"),
      empty: { icon: "flag", title: t("noAssignments") },
      render: (item) => {
        const { id, title, kind, points, dueAt, state } = item.get();
        const isLate = dueAt && Date.parse(dueAt) < Date.now();
        return h(
          "a",
          { href: link(`/courses/${course}/assignments/${id}`) },
          icon(kind === "test" ? "check" : "edit"),
          h(
            "span.grow",
            null,
            h("strong", null, title),
            h("br"),
            h("span.soft.small-text", null, dueAt ? t("due", { date: dateTime(dueAt) }) : t("noDueDate")),
          ),
          state === "draft" && h("span.chip.is-warning", null, t("draft")),
          isLate && h("span.chip.is-danger", null, t("closed")),
          h("span.number.soft", null, t("pointCount", { count: points })),
        );
      },
    }),
  );
}
