// @ts-check
import { call } from "../../shared/api.js";
import { serverNow } from "../../shared/clock.js";
import { icon } from "../../shared/components/icon.js";
import { menu } from "../../shared/components/menu.js";
import { dateTime } from "../../shared/language.js";
import { go, link, refresh } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { isActive, mayTeach, teaches } from "../components/course/access.js";
import { action, removal } from "../components/course/actions.js";
import { editAssignment } from "../components/course/assignment-dialog.js";
import { attempts } from "../components/course/attempts.js";
import { files } from "../components/course/files.js";
import { pointsOf } from "../components/course/points.js";
import { submissions } from "../components/course/submissions.js";
import { countTime } from "../components/course/time.js";
import { work } from "../components/course/work.js";
import { hueOf } from "../components/set-card.js";
import { t } from "../components/course/strings.js";

/** @import { Assignment, AttemptSummary, Course, Submission } from "../../../Types/api.d.ts" */
/** What a student has done: nothing for instructors. @typedef {{ mine?: Submission, tries: AttemptSummary[] }} Done */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params, signal }) {
  const [assignment, course] = await Promise.all([
    call("GET /v1/courses/{course}/assignments/{id}", { course: params.course, id: params.id }, { signal }),
    call("GET /v1/courses/{id}", { id: params.course }, { signal }),
  ]);
  return { assignment, course, done: teaches(course) ? { tries: [] } : await loadDone(course.id, assignment, signal) };
}

/** @param {string} course @param {Assignment} assignment @param {AbortSignal} signal @returns {Promise<Done>} */
async function loadDone(course, { id: assignment, test }, signal) {
  const own = { course, assignment, student: user.get()?.id };
  const [submitted, tries] = await Promise.all([
    call("GET /v1/courses/{course}/submissions", own, { signal }),
    test ? call("GET /v1/attempts", { quiz: test.quiz }, { signal }) : { items: [] },
  ]);
  return { mine: submitted.items[0], tries: tries.items };
}

/** An assignment: for students to submit, for instructors to grade. @param {Awaited<ReturnType<typeof load>>} data */
export default function assignmentScreen({ assignment, course, done: { mine, tries } }) {
  const { title, points, dueAt, lateUntil, test } = assignment;
  const closesAt = lateUntil ?? dueAt;
  const isClosed = closesAt !== undefined && Date.parse(closesAt) <= serverNow();
  countTime();
  return h(
    "div.stack.prose",
    { style: { "--hue": hueOf(course.id) } },
    h(
      "header.set-head",
      null,
      h(
        "a.button.quiet.small.back-link",
        { href: link(`/courses/${course.id}`, { tab: "assignments" }) },
        icon("back"),
        course.title,
      ),
      h(
        "div.spread",
        null,
        h("h1", null, title),
        mayTeach(course) && menu({ label: t("moreActions"), items: () => actions(course, assignment) }),
      ),
    ),
    h(
      "p.row",
      null,
      h("span.chip.is-accent", null, t("pointCount", { count: pointsOf(points) })),
      h("span.chip", null, dueAt ? t("due", { date: dateTime(dueAt) }) : t("noDueDate")),
      lateUntil && h("span.chip", null, t("lateUntilTime", { date: dateTime(lateUntil) })),
      test && h("span.chip", null, t("test")),
      assignment.state === "draft" && h("span.chip.is-warning", null, t("draft")),
    ),
    assignment.instructions && h("p.prewrap", null, assignment.instructions),
    files(assignment.media),
    isClosed && isActive(course) && h("p.notice", null, t("assignmentClosed")),
    teaches(course)
      ? submissions(course, assignment)
      : test
      ? attempts(course, { ...assignment, test }, mine, tries, isClosed)
      : work(course, assignment, mine, isClosed),
  );
}

/** @param {Course} course @param {Assignment} assignment */
const actions = ({ id: course }, assignment) => [
  action(t("edit"), "edit", () => editAssignment(course, assignment, refresh)),
  removal({
    title: t("deleteAssignment"),
    message: t("deleteAssignmentMessage"),
    run: async () => {
      await call("DELETE /v1/courses/{course}/assignments/{id}", { course, id: assignment.id });
      await go(`/courses/${course}?tab=assignments`, { replace: true });
    },
  }),
];
