// @ts-check
import { icon } from "../../../shared/components/icon.js";
import { clockTime, percent } from "../../../shared/language.js";
import { h } from "../../../shared/view.js";
import { t } from "./strings.js";

/** @import { AttemptQuestion, QuizAttempt } from "../../../../Types/api.d.ts" */

/** How an attempt at a test went, with the right answers once they are shown. @param {QuizAttempt} attempt */
export function testResult({ summary: { result, questionCount, hidesSolutions }, questions }) {
  return h(
    "div.stack",
    null,
    result && h(
      "section.card.result",
      null,
      h("p.eyebrow", null, t("result")),
      h("h2.result-score.number", null, percent(result.score / 100)),
      h("p", null, t("correctOf", { correct: result.correct, count: questionCount })),
      h("p.soft.number", null, t("timeSpent"), " ", clockTime(result.durationSeconds * 1000)),
    ),
    hidesSolutions
      ? h("p.notice", null, t("solutionsHidden"))
      : h("ol.stack", { role: "list", "aria-label": t("answers") }, questions.map((it) => h("li", null, judged(it)))),
  );
}

/** @param {AttemptQuestion} question */
function judged(question) {
  const { prompt, statement, solution } = question;
  if (!solution) return null;
  const isRight = solution.grade === "correct" || solution.grade === "almost";
  const given = givenWords(question);
  return h(
    "section.card.stack",
    null,
    h("h2.question-prompt", { dir: "auto" }, prompt),
    statement && h("p.statement", { dir: "auto" }, statement),
    h(
      "div.feedback",
      { class: isRight ? "is-correct" : "is-incorrect" },
      icon(isRight ? "check" : "close"),
      h(
        "div",
        null,
        h("strong", null, t(`grade-${solution.grade}`)),
        given && h("p", { dir: "auto" }, t("youAnswered", { answer: given })),
        solution.grade !== "correct" && h("p", { dir: "auto" }, t("rightAnswer", { answer: solution.answer })),
      ),
    ),
  );
}

/** @param {AttemptQuestion} question */
function givenWords({ answer, options = [] }) {
  if (answer?.isTrue !== undefined) return t(answer.isTrue ? "true" : "false");
  return answer?.option !== undefined ? options[answer.option] : answer?.text;
}
