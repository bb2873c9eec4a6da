// @ts-check
/** A quiz that is being taken, and its result. */
import { icon } from "../../shared/components/icon.js";
import { announce } from "../../shared/components/toast.js";
import { clockTime, percent } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h, onCleanUp, state, untracked } from "../../shared/view.js";
import { play } from "../sounds.js";
import { gradeQuestion } from "../study/quiz.js";
import { recordQuiz } from "../study/record.js";
import { t } from "../screen-strings.js";

/** @import { Given, Question } from "../study/quiz.js" */
/** @import { Grade } from "../study/grading.js" */

/** @typedef {{ set: string, questions: Question[], limit: number, again: (questions: Question[]) => void, choose: () => void }} Quiz */
/** @typedef {{ question: Question, given: Given, grade: Grade }} Answered */

/** @param {Quiz} quiz */
export function quizRun(quiz) {
  const { questions, limit, set } = quiz;
  const answers = state(/** @type {Answered[]} */ ([]));
  const shown = state(/** @type {Answered | null} */ (null));
  const isOver = state(false);
  const started = Date.now();
  const spent = state(0);
  const timer = setInterval(() => {
    spent.set(Date.now() - started);
    if (limit > 0 && spent.get() >= limit) finish();
  }, 250);
  onCleanUp(() => clearInterval(timer));

  function finish() {
    if (isOver.get()) return;
    clearInterval(timer);
    spent.set(Math.min(Date.now() - started, limit || Infinity));
    isOver.set(true);
    play("done");
    const given = answers.get();
    const correct = given.filter((it) => it.grade !== "incorrect").length;
    const unanswered = questions.length - given.length;
    recordQuiz(set, spent.get(), { correct, incorrect: questions.length - correct, unanswered });
  }

  /** @param {Question} question @param {Given} given */
  function answer(question, given) {
    const grade = gradeQuestion(question, given);
    const answered = { question, given, grade };
    answers.update((all) => [...all, answered]);
    shown.set(answered);
    play(grade === "incorrect" ? "wrong" : "right");
    announce(`${t(`grade-${grade}`)} ${grade === "correct" ? "" : question.answer}`);
  }

  function next() {
    shown.set(null);
    if (answers.get().length >= questions.length) finish();
  }

  return h("div.stack.play-page", null, () => {
    if (isOver.get()) return untracked(() => quizResult(quiz, answers.get(), spent.get()));
    const feedback = shown.get();
    const number = untracked(() => answers.get().length) + (feedback ? 0 : 1);
    const question = questions[number - 1];
    return h(
      "div.stack.play-page",
      null,
      h(
        "div.spread.soft.small-text",
        null,
        h("span", null, t("questionOf", { number, count: questions.length })),
        h("span.number", { role: "timer" }, () => clockTime(limit > 0 ? limit - spent.get() : spent.get())),
      ),
      h("progress.play-progress", { max: questions.length, value: number - 1, "aria-label": t("progress") }),
      h(
        "div.flashcard.is-question",
        null,
        h("p.face-text", { dir: "auto", class: question.prompt.length > 90 ? "is-long" : "" }, question.prompt),
      ),
      feedback ? answerFeedback(feedback, next) : answerControls(question, (given) => answer(question, given)),
    );
  });
}

/** @param {HTMLElement} element */
const focusSoon = (element) => requestAnimationFrame(() => element.focus());

/** @param {Question} question @param {(given: Given) => void} answer */
function answerControls(question, answer) {
  if (question.kind === "choice") {
    return h(
      "div.options",
      { role: "group", "aria-label": t("chooseAnswer") },
      question.options?.map((option, index) =>
        h("button.option", {
          type: "button",
          dir: "auto",
          onclick: () => answer(index),
          ...(index === 0 && { ref: focusSoon }),
        }, option)
      ),
    );
  }
  if (question.kind === "trueFalse") {
    return h(
      "div.stack",
      null,
      h("p.statement", { dir: "auto" }, question.shown),
      h(
        "div.options.is-two",
        { role: "group", "aria-label": t("isItRight") },
        h("button.option", { type: "button", onclick: () => answer(true), ref: focusSoon }, icon("check"), t("true")),
        h("button.option", { type: "button", onclick: () => answer(false) }, icon("close"), t("false")),
      ),
    );
  }
  const input = h("input.input", {
    type: "text",
    "aria-label": t("yourAnswer"),
    placeholder: t("yourAnswer"),
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    dir: "auto",
    ref: focusSoon,
  });
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    answer(input.value);
  };
  return h(
    "form.stack",
    { onsubmit: send },
    input,
    h(
      "div.play-actions",
      null,
      h("button.button.quiet", { type: "button", onclick: () => answer(undefined) }, t("dontKnow")),
      h("button.button.primary", { type: "submit" }, t("check")),
    ),
  );
}

/** @param {Answered} answered @param {() => void} next */
function answerFeedback({ question, given, grade }, next) {
  return h(
    "div.stack",
    null,
    h(
      "div.feedback",
      { class: `is-${grade}` },
      icon(grade === "incorrect" ? "close" : "check"),
      h(
        "div",
        null,
        h("strong", null, t(`grade-${grade}`)),
        grade !== "correct" && h("p", { dir: "auto" }, t("rightAnswer", { answer: question.answer })),
        grade !== "correct" && typeof given === "string" && given &&
          h("p.soft", { dir: "auto" }, t("youAnswered", { answer: given })),
      ),
    ),
    h("button.button.primary.wide", { type: "button", onclick: next, ref: focusSoon }, t("next"), icon("next")),
  );
}

/** @param {Quiz} quiz @param {Answered[]} answers @param {number} milliseconds */
function quizResult({ set, questions, again, choose }, answers, milliseconds) {
  const correct = answers.filter((it) => it.grade !== "incorrect").length;
  const wrong = answers.filter((it) => it.grade === "incorrect");
  const missed = [...wrong.map((it) => it.question), ...questions.slice(answers.length)];
  return h(
    "div.stack",
    null,
    h(
      "section.card.result",
      null,
      h("p.eyebrow", null, t("result")),
      h("h2.result-score.number", { tabindex: -1, ref: focusSoon }, percent(correct / questions.length)),
      h("p", null, t("correctOf", { correct, count: questions.length })),
      h(
        "dl.result-facts",
        null,
        h("div", null, h("dt", null, t("correct")), h("dd", null, correct)),
        h("div", null, h("dt", null, t("incorrect")), h("dd", null, questions.length - correct)),
        h("div", null, h("dt", null, t("timeSpent")), h("dd.number", null, clockTime(milliseconds))),
      ),
      h(
        "div.row",
        null,
        missed.length > 0 &&
          h(
            "button.button.primary",
            { type: "button", onclick: () => again(missed) },
            icon("refresh"),
            t("repeatMistakes"),
          ),
        h("button.button", { type: "button", onclick: choose }, t("anotherQuiz")),
        h("a.button.quiet", { href: link(`/sets/${set}`) }, t("backToSet")),
      ),
    ),
    missed.length > 0 &&
      h(
        "section.stack",
        null,
        h("h2", null, t("mistakes")),
        h(
          "ul.card-rows",
          { role: "list" },
          missed.map((it) =>
            h(
              "li.card-row",
              null,
              h("p", { dir: "auto" }, it.prompt),
              h("p", { dir: "auto" }, h("strong", null, it.answer)),
            )
          ),
        ),
      ),
  );
}
