// @ts-check
import { call, pages } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { avatar } from "../../shared/components/picture.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime } from "../../shared/language.js";
import { link, refresh } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { hueOf } from "../parts/set-card.js";
import { t } from "../strings.js";

/** @import { Assignment, Submission } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { course, id }, signal }) {
  const [assignment, place] = await Promise.all([
    call("GET /v1/courses/{course}/assignments/{id}", { course, id }, { signal }),
    call("GET /v1/courses/{id}", { id: course }, { signal }),
  ]);
  const isTeacher = place.role !== "student";
  const mine = isTeacher
    ? undefined
    : (await call("GET /v1/courses/{course}/submissions", { course, assignment: id, student: user.get()?.id }, {
      signal,
    })).items[0];
  return { assignment, course: place, isTeacher, mine };
}

/** An assignment: for students to submit, for instructors to grade. @param {Awaited<ReturnType<typeof load>>} data */
export default function assignmentScreen({ assignment, course, isTeacher, mine }) {
  return h(
    "div.stack.prose",
    { style: { "--hue": hueOf(course.id) } },
    h(
      "a.button.quiet.small.back-link",
      { href: link(`/courses/${course.id}`, { tab: "assignments" }) },
      icon("back"),
      course.title,
    ),
    h("h1", null, assignment.title),
    h(
      "p.row",
      null,
      h("span.chip.is-accent", null, t("pointCount", { count: assignment.points })),
      h("span.chip", null, assignment.dueAt ? t("due", { date: dateTime(assignment.dueAt) }) : t("noDueDate")),
      assignment.kind === "test" && h("span.chip", null, t("test")),
    ),
    assignment.instructions && h("p.prewrap", null, assignment.instructions),
    isTeacher ? submissions(course.id, assignment) : submit(course.id, assignment, mine),
  );
}

/** @param {string} course @param {Assignment} assignment @param {Submission | undefined} mine */
function submit(course, assignment, mine) {
  if (assignment.kind === "test") return h("p.notice", null, t("testElsewhere"));
  const graded = mine && mine.state !== "submitted";
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("yourWork")),
    mine && h(
      "p.row",
      null,
      h("span.chip", { class: mine.isLate ? "is-warning" : "is-success" }, t(`submission-${mine.state}`)),
      mine.submittedAt && h("span.soft.small-text", null, dateTime(mine.submittedAt)),
      mine.points !== undefined && h("strong", null, t("pointsOf", { points: mine.points, max: assignment.points })),
    ),
    mine?.feedback && h("blockquote.feedback.is-correct", null, icon("chat"), h("p.prewrap", null, mine.feedback)),
    graded && assignment.resubmission === "never" ? h("p.prewrap", null, mine.text) : form({
      fields: [{
        name: "text",
        label: t("answer"),
        kind: "textarea",
        value: mine?.text,
        required: true,
        props: { maxlength: 10_000, rows: 8 },
      }],
      submit: mine ? t("submitAgain") : t("submit"),
      onsubmit: async (body) => {
        await call("PUT /v1/courses/{course}/assignments/{assignment}/submission", {
          course,
          assignment: assignment.id,
          body,
        }, { version: mine?.version });
        toast(t("submitted"), { kind: "success" });
        await refresh();
      },
    }),
  );
}

/** @param {string} course @param {Assignment} assignment */
function submissions(course, assignment) {
  const list = paged((signal) =>
    pages("GET /v1/courses/{course}/submissions", { course, assignment: assignment.id }, { signal })
  );
  const grade = (/** @type {Submission} */ submission) =>
    openDialog({
      title: submission.name?.displayName ?? t("grade"),
      size: "large",
      build: (close) =>
        h(
          "div.stack",
          null,
          h("p.prewrap.card", null, submission.text ?? ""),
          form({
            fields: [
              {
                name: "points",
                label: t("points"),
                kind: "number",
                value: submission.points,
                required: true,
                props: { min: 0, max: assignment.points },
              },
              {
                name: "feedback",
                label: t("feedback"),
                kind: "textarea",
                value: submission.feedback,
                props: { maxlength: 10_000 },
              },
            ],
            submit: t("returnWork"),
            oncancel: () => close(),
            onsubmit: async (values) => {
              const body = { ...values, isReturned: true };
              const place = { course, assignment: assignment.id, student: submission.student };
              await call("PUT /v1/courses/{course}/assignments/{assignment}/grades/{student}", { ...place, body }, {
                version: submission.version,
              });
              close();
              await list.reload();
            },
          }),
        ),
    });
  return h(
    "section.stack",
    null,
    h("h2", null, t("submissions")),
    listView(list, {
      key: (it) => it.id,
      label: t("submissions"),
      empty: { icon: "inbox", title: t("noSubmissions") },
      render: (item) => {
        const submission = item.get();
        return h(
          "button.row-button",
          { type: "button", onclick: () => grade(item.get()) },
          avatar(submission.name, { size: "small" }),
          h("span.grow", null, submission.name?.displayName ?? t("unknownPerson")),
          submission.isLate && h("span.chip.is-warning", null, t("late")),
          submission.points !== undefined
            ? h("strong.number", null, submission.points)
            : h("span.chip.is-accent", null, t("toGrade")),
          h("span.visually-hidden", null, text("more")),
        );
      },
    }),
  );
}
