// @ts-check
import { call, pages } from "../../../shared/api.js";
import { openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { listView, paged } from "../../../shared/components/list.js";
import { avatar } from "../../../shared/components/picture.js";
import { text } from "../../../shared/text.js";
import { h } from "../../../shared/view.js";
import { t } from "./strings.js";
import { isActive } from "./access.js";
import { files } from "./files.js";
import { pointProps, pointsOf, pointText, toHundredths } from "./points.js";

/** @import { Assignment, Course, Submission } from "../../../../Types/api.d.ts" */

/** What students have submitted, for instructors to grade. @param {Course} course @param {Assignment} assignment */
export function submissions(course, assignment) {
  const list = paged((signal) =>
    pages("GET /v1/courses/{course}/submissions", { course: course.id, assignment: assignment.id }, { signal })
  );
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
          { type: "button", onclick: () => open(course, assignment, submission, list.reload) },
          avatar(submission.name, { size: "small" }),
          h("span.grow", null, submission.name?.displayName ?? t("unknownPerson")),
          submission.isLate && h("span.chip.is-warning", null, t("late")),
          submission.points !== undefined
            ? h("strong.number", null, pointText(submission.points))
            : h("span.chip.is-accent", null, t("toGrade")),
          h("span.visually-hidden", null, text("more")),
        );
      },
    }),
  );
}

/** @param {Course} course @param {Assignment} assignment @param {Submission} submission @param {() => Promise<void>} done */
const open = (course, assignment, submission, done) =>
  openDialog({
    title: submission.name?.displayName ?? t("grade"),
    size: "large",
    build: (close) =>
      h(
        "div.stack",
        null,
        submission.text && h("p.prewrap.card", null, submission.text),
        files(submission.media),
        assignment.kind === "test" && h("p", null, t("attemptCount", { count: submission.count })),
        isActive(course) && form({
          fields: [
            {
              name: "points",
              label: t("points"),
              hint: t("pointsHint", { max: pointText(assignment.points) }),
              kind: "number",
              value: submission.points === undefined ? undefined : pointsOf(submission.points),
              required: true,
              props: pointProps(assignment.points),
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
          onsubmit: async ({ points, feedback }) => {
            const body = { points: toHundredths(points), feedback, isReturned: true };
            const place = { course: course.id, assignment: assignment.id, student: submission.student };
            await call("PUT /v1/courses/{course}/assignments/{assignment}/grades/{student}", { ...place, body }, {
              version: submission.version,
            });
            close();
            await done();
          },
        }),
      ),
  });
