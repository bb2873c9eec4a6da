// @ts-check
import { call } from "../../shared/api.js";
import { tabs } from "../../shared/components/tabs.js";
import { icon } from "../../shared/components/icon.js";
import { menu } from "../../shared/components/menu.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { go, link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h, onCleanUp } from "../../shared/view.js";
import { assignments } from "../parts/course/assignments.js";
import { discussions } from "../parts/course/discussions.js";
import { grades } from "../parts/course/grades.js";
import { materials } from "../parts/course/materials.js";
import { people } from "../parts/course/people.js";
import { hueOf } from "../parts/set-card.js";
import { recordSession } from "../study/record.js";
import { session } from "../study/sessions.js";
import { t } from "../strings.js";

/** @import { Course } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ params: { id }, signal }) => call("GET /v1/courses/{id}", { id }, { signal });

/** A course: materials, assignments, discussions, people. @param {Course} course @param {import("../../shared/router.js").Visit} visit */
export default function courseScreen(course, { query }) {
  const { id } = course;
  const isTeacher = course.role !== "student";
  session.begin({ kind: "course", record: (milliseconds) => recordSession("course", milliseconds) });
  onCleanUp(() => session.end());
  const leave = async () => {
    if (!await confirmDialog({ title: t("leaveCourse"), confirm: t("leaveCourse"), isDangerous: true })) return;
    await call("DELETE /v1/courses/{id}/members/{user}", { id, user: user.get()?.id ?? "" });
    await go("/courses", { replace: true });
  };
  return h(
    "div.stack",
    { style: { "--hue": hueOf(id) } },
    h(
      "header.set-head",
      null,
      h("a.button.quiet.small.back-link", { href: link("/courses") }, icon("back"), t("courses")),
      h(
        "div.spread",
        null,
        h("h1", null, course.title),
        course.role !== "owner" &&
          menu({
            label: t("moreActions"),
            items: () => [{ label: t("leaveCourse"), icon: "signout", run: leave, isDangerous: true }],
          }),
      ),
      h(
        "p.row",
        null,
        course.term && h("span.chip", null, course.term),
        h("span.chip.is-accent", null, t(`course-${course.role}`)),
      ),
      course.description && h("p.soft.set-description", null, course.description),
    ),
    tabs({
      label: course.title,
      selected: query.get("tab") ?? "materials",
      tabs: [
        { id: "materials", label: t("materials"), content: () => materials(course, isTeacher) },
        { id: "assignments", label: t("assignments"), content: () => assignments(course, isTeacher) },
        { id: "discussions", label: t("discussions"), content: () => discussions(course) },
        { id: "people", label: t("people"), content: () => people(course, isTeacher) },
        { id: "grades", label: t("grades"), content: () => grades(course, isTeacher) },
      ],
    }),
  );
}
