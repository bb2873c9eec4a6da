// @ts-check
import { call, Problem } from "../../../shared/api.js";
import { countdown } from "../../../shared/components/countdown.js";
import { confirmDialog } from "../../../shared/components/dialog.js";
import { uniqueID } from "../../../shared/components/dom.js";
import { actionButton } from "../../../shared/components/form.js";
import { problemText } from "../../../shared/components/states.js";
import { refresh } from "../../../shared/router.js";
import { h, state } from "../../../shared/view.js";
import { t } from "./strings.js";

/** @import { AttemptAnswer, AttemptQuestion, QuizAttempt } from "../../../../Types/api.d.ts" */
/** @typedef {AttemptAnswer | undefined} Given */

/** The questions of a test that is being taken. Each answer is stored at once, and can be changed until the end. @param {QuizAttempt} attempt */
export function testRun({ summary: { id, deadline }, questions }) {
  const answered = state(new Set(questions.filter((it) => it.answer).map((it) => it.number)));
  const failure = state("");
  /** What the platform does not have yet. @type {Map<number, Given>} */
  const unsent = new Map();
  let sending = Promise.resolve();

  async function send() {
    const answers = [...unsent].map(([number, answer]) => ({ number, answer }));
    if (answers.length > 0) await call("POST /v1/attempts/{id}/answers", { id, body: { answers } });
    for (const { number, answer } of answers) if (unsent.get(number) === answer) unsent.delete(number);
    failure.set("");
  }
  // one after another, so that an earlier answer does not replace a later one
  const save = () => sending = sending.catch(() => {}).then(send);

  /** @param {number} number @param {Given} answer */
  async function give(number, answer) {
    answered.update((known) => {
      const next = new Set(known);
      if (answer) next.add(number);
      else next.delete(number);
      return next;
    });
    unsent.set(number, answer);
    try {
      await save();
    } catch (error) {
      if (Problem.is(error, "attempt-finished")) await refresh();
      else failure.set(problemText(error));
    }
  }

  async function finish() {
    await save();
    await call("POST /v1/attempts/{id}/finish", { id });
    await refresh();
  }
  const ask = async () => {
    const count = questions.length - answered.get().size;
    const isSure = count === 0 || await confirmDialog({
      title: t("finishTest"),
      message: t("unansweredMessage", { count }),
      confirm: t("finishTest"),
    });
    if (isSure) await finish();
  };

  return h(
    "div.stack",
    null,
    h(
      "p.spread.test-state",
      null,
      h("span", { role: "status" }, () => t("answeredOf", { count: answered.get().size, all: questions.length })),
      deadline && countdown(() => deadline, { onend: () => finish().catch(refresh) }),
    ),
    h(
      "ol.stack",
      { role: "list" },
      questions.map((it) => h("li", null, questionCard(it, (answer) => give(it.number, answer)))),
    ),
    h("div", { role: "alert" }, () => failure.get() && h("p.form-failure", null, t("notSaved"), " ", failure.get())),
    actionButton({ label: t("finishTest"), icon: "check", class: "primary wide", run: ask }),
  );
}

/** @param {AttemptQuestion} question @param {(answer: Given) => void} give */
function questionCard(question, give) {
  const id = uniqueID("question");
  return h(
    "section.card.stack",
    { role: "group", "aria-labelledby": id },
    h("h2.question-prompt", { id, dir: "auto" }, question.prompt),
    controls(question, id, give),
  );
}

/** @param {AttemptQuestion} question @param {string} label @param {(answer: Given) => void} give */
function controls({ number, kind, options = [], statement, answer }, label, give) {
  /** @param {string} words @param {Exclude<Given, undefined>} value @param {boolean} checked */
  const option = (words, value, checked) =>
    h(
      "label.option",
      null,
      h("input", { type: "radio", name: `answer-${number}`, checked, onchange: () => give(value) }),
      h("span.grow", { dir: "auto" }, words),
    );
  if (kind === "choice") {
    return h(
      "div.options",
      null,
      options.map((words, index) => option(words, { option: index }, answer?.option === index)),
    );
  }
  if (kind === "trueFalse") {
    return h(
      "div.stack",
      null,
      h("p.statement", { dir: "auto" }, statement),
      h(
        "div.options.is-two",
        null,
        option(t("true"), { isTrue: true }, answer?.isTrue === true),
        option(t("false"), { isTrue: false }, answer?.isTrue === false),
      ),
    );
  }
  return h("input.input", {
    type: "text",
    "aria-labelledby": label,
    value: answer?.text ?? "",
    placeholder: t("yourAnswer"),
    maxlength: 2000,
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    dir: "auto",
    onchange: (/** @type {any} */ event) => {
      const words = event.target.value.trim();
      give(words ? { text: words } : undefined);
    },
  });
}
