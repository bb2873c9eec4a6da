// @ts-check
import { call } from "../../shared/api.js";
import { tabs } from "../../shared/components/tabs.js";
import { icon } from "../../shared/components/icon.js";
import { menu } from "../../shared/components/menu.js";
import { go, link, refresh } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { isActive, mayTeach } from "../components/course/access.js";
import { action, removal } from "../components/course/actions.js";
import { assignments } from "../components/course/assignments.js";
import { courseDialog } from "../components/course/course-dialog.js";
import { discussions } from "../components/course/discussions.js";
import { grades } from "../components/course/grades.js";
import { materials } from "../components/course/materials.js";
import { people } from "../components/course/people.js";
import { countTime } from "../components/course/time.js";
import { hueOf } from "../components/set-card.js";
import { t } from "../components/course/strings.js";

/** @import { Course } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ params: { id }, signal }) => call("GET /v1/courses/{id}", { id }, { signal });

/** A course: materials, assignments, discussions, people. @param {Course} course @param {import("../../shared/router.js").Visit} visit */
export default function courseScreen(course, { query }) {
  const { id } = course;
  countTime();
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
        menu({ label: t("moreActions"), items: () => actions(course) }),
      ),
      h(
        "p.row",
        null,
        course.term && h("span.chip", null, course.term),
        h("span.chip.is-accent", null, t(`course-${course.role}`)),
        !isActive(course) && h("span.chip.is-warning", null, t("archived")),
      ),
      course.description && h("p.soft.set-description", null, course.description),
    ),
    !isActive(course) && h("p.notice", null, t("archivedHint")),
    tabs({
      label: course.title,
      selected: query.get("tab") ?? "materials",
      onselect: (tab) => history.replaceState(history.state, "", link(`/courses/${id}`, { tab })),
      tabs: [
        { id: "materials", label: t("materials"), content: () => materials(course) },
        { id: "assignments", label: t("assignments"), content: () => assignments(course) },
        { id: "discussions", label: t("discussions"), content: () => discussions(course) },
        { id: "people", label: t("people"), content: () => people(course) },
        { id: "grades", label: t("grades"), content: () => grades(course) },
      ],
    }),
  );
}

/** What a member does with the course as a whole. @param {Course} course */
function actions(course) {
  const { id, version } = course;
  const edit = () =>
    courseDialog({
      title: t("editCourse"),
      submit: text("save"),
      course,
      onsubmit: async (values) => {
        await call("PATCH /v1/courses/{id}", { id, body: { term: null, description: null, ...values } }, { version });
        await refresh();
      },
    });
  /** @param {Course["state"]} state */
  const become = async (state) => {
    await call("PATCH /v1/courses/{id}", { id, body: { state } }, { version });
    await refresh();
  };
  const archive = removal({
    title: t("archiveCourse"),
    message: t("archiveCourseMessage"),
    label: t("archiveCourse"),
    icon: "archive",
    run: () => become("archived"),
  });
  const leave = removal({
    title: t("leaveCourse"),
    message: t("leaveCourseMessage"),
    label: t("leaveCourse"),
    icon: "signout",
    run: async () => {
      await call("DELETE /v1/courses/{id}/members/{user}", { id, user: user.get()?.id ?? "" });
      await go("/courses", { replace: true });
    },
  });
  if (course.role !== "owner") return mayTeach(course) ? [action(t("editCourse"), "edit", edit), leave] : [leave];
  if (!isActive(course)) return [action(t("reopenCourse"), "refresh", () => become("active"))];
  return [action(t("editCourse"), "edit", edit), archive];
}
