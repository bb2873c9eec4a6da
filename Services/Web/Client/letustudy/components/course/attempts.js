// @ts-check
import { call } from "../../../shared/api.js";
import { actionButton } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { dateTime, percent } from "../../../shared/language.js";
import { go, link } from "../../../shared/router.js";
import { h } from "../../../shared/view.js";
import { utcOffset } from "../../study/days.js";
import { t } from "./strings.js";
import { isActive } from "./access.js";
import { standing } from "./work.js";

/** @import { Assignment, AttemptSummary, Course, CourseTest, Submission } from "../../../../Types/api.d.ts" */

/**
 * A test: the student's attempts so far, and the next one.
 * @param {Course} course @param {Assignment & { test: CourseTest }} assignment @param {Submission | undefined} mine
 * @param {AttemptSummary[]} attempts newest first @param {boolean} isClosed
 */
export function attempts(course, assignment, mine, attempts, isClosed) {
  const { test } = assignment;
  const path = `/courses/${course.id}/assignments/${assignment.id}/attempts`;
  const running = attempts.find((it) => it.status === "running");
  const finished = attempts.filter((it) => it.status === "finished");
  const start = async () => {
    const body = { utcOffsetMinutes: utcOffset(Date.now()) };
    const { summary } = await call("POST /v1/quizzes/{id}/attempts", { id: test.quiz, body });
    await go(`${path}/${summary.id}`);
  };
  const isOpen = isActive(course) && !isClosed && attempts.length < test.attempts;
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("yourWork")),
    mine && standing(assignment, mine),
    h("p.soft", null, t("attemptsUsed", { count: attempts.length, all: test.attempts })),
    running
      ? h("a.button.primary", { href: link(`${path}/${running.id}`) }, icon("play"), t("continueTest"))
      : isOpen && actionButton({ label: t("startTest"), icon: "play", class: "primary", run: start }),
    finished.length > 0 &&
      h(
        "ul.rows",
        { role: "list", "aria-label": t("attempts") },
        finished.map(({ id, result, finishedAt }) =>
          h(
            "li",
            null,
            h(
              "a",
              { href: link(`${path}/${id}`) },
              h("strong.number.score", null, percent((result?.score ?? 0) / 100)),
              h("span.grow.soft.small-text", null, finishedAt && dateTime(finishedAt)),
            ),
          )
        ),
      ),
  );
}
