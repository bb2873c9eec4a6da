// @ts-check
import { call } from "../../../shared/api.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { toast } from "../../../shared/components/toast.js";
import { uploadField } from "../../../shared/components/uploader.js";
import { dateTime } from "../../../shared/language.js";
import { refresh } from "../../../shared/router.js";
import { h } from "../../../shared/view.js";
import { t } from "./strings.js";
import { isActive } from "./access.js";
import { files } from "./files.js";
import { pointsOfMax } from "./points.js";

/** @import { Assignment, Course, Submission } from "../../../../Types/api.d.ts" */

/** What a student has submitted, and its grade. @param {Assignment} assignment @param {Submission} mine */
export const standing = (assignment, mine) => [
  h(
    "p.row",
    null,
    h("span.chip.is-success", null, t(`submission-${mine.state}`)),
    mine.isLate && h("span.chip.is-warning", null, t("late")),
    mine.submittedAt && h("span.soft.small-text", null, dateTime(mine.submittedAt)),
    mine.points !== undefined && h("strong", null, pointsOfMax(mine.points, assignment.points)),
  ),
  mine.feedback && h("blockquote.feedback.is-correct", null, icon("chat"), h("p.prewrap", null, mine.feedback)),
];

/** Work to submit. @param {Course} course @param {Assignment} assignment @param {Submission | undefined} mine @param {boolean} isClosed */
export function work(course, assignment, mine, isClosed) {
  const isOpen = isActive(course) && !isClosed && mayReplace(assignment, mine);
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("yourWork")),
    mine && standing(assignment, mine),
    isOpen || h("p.prewrap", null, mine?.text),
    files(mine?.media ?? []),
    isOpen && form({
      fields: [
        {
          name: "text",
          label: t("answer"),
          kind: "textarea",
          value: mine?.text,
          props: { maxlength: 10_000, rows: 8 },
        },
        uploadField({ name: "media", label: t("file"), hint: t("fileToSubmitHint") }),
      ],
      submit: mine?.count ? t("submitAgain") : t("submit"),
      onsubmit: async ({ text, media }) => {
        const body = { text, media: media ? [media] : mine?.media };
        await call("PUT /v1/courses/{course}/assignments/{assignment}/submission", {
          course: course.id,
          assignment: assignment.id,
          body,
        }, { version: mine?.version });
        toast(t("submitted"), { kind: "success" });
        await refresh();
      },
    }),
  );
}

/** @param {Assignment} assignment @param {Submission | undefined} mine */
function mayReplace({ resubmission }, mine) {
  if (!mine?.count || resubmission === "afterReturn") return true;
  return resubmission === "untilGraded" && mine.state === "submitted";
}
