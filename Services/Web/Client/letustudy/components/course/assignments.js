// @ts-check
import { pages } from "../../../shared/api.js";
import { icon } from "../../../shared/components/icon.js";
import { listView, paged } from "../../../shared/components/list.js";
import { serverNow } from "../../../shared/clock.js";
import { dateTime } from "../../../shared/language.js";
import { link } from "../../../shared/router.js";
import { h } from "../../../shared/view.js";
import { t } from "./strings.js";
import { mayTeach } from "./access.js";
import { newAssignment } from "./assignment-dialog.js";
import { pointsOf } from "./points.js";

/** @import { Course } from "../../../../Types/api.d.ts" */

/** Work and tests with their due dates. @param {Course} course */
export function assignments(course) {
  const list = paged((signal) => pages("GET /v1/courses/{course}/assignments", { course: course.id }, { signal }));
  /** @param {"work" | "test"} kind */
  const add = (kind) => newAssignment(course.id, kind, list.reload);
  return h(
    "div.stack",
    null,
    mayTeach(course) &&
      h(
        "div.row",
        null,
        h(
          "button.button.primary",
          { type: "button", onclick: () => add("work") },
          icon("add"),
          t("newAssignment"),
        ),
        h("button.button", { type: "button", onclick: () => add("test") }, icon("check"), t("newTest")),
      ),
    listView(list, {
      key: (it) => it.id,
      label: t("assignments"),
      empty: { icon: "flag", title: t("noAssignments") },
      render: (item) => {
        const { id, title, kind, points, dueAt, state } = item.get();
        const isLate = dueAt && Date.parse(dueAt) < serverNow();
        return h(
          "a",
          { href: link(`/courses/${course.id}/assignments/${id}`) },
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
          h("span.number.soft", null, t("pointCount", { count: pointsOf(points) })),
        );
      },
    }),
  );
}
