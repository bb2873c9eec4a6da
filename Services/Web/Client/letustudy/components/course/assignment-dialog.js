// @ts-check
/** What an instructor says about an assignment: work to submit, or a test, which is a quiz from a set. */
import { call } from "../../../shared/api.js";
import { openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { text } from "../../../shared/text.js";
import { isOwner, study } from "../../study.js";
import { t } from "./strings.js";
import { pointProps, pointsOf, toHundredths } from "./points.js";

/** @import { Assignment } from "../../../../Types/api.d.ts" */
/** @import { Field } from "../../../shared/components/form.js" */

const MOST_POINTS = 1_000_000;

/** @param {string} course @param {"work" | "test"} kind @param {() => Promise<unknown>} done */
export const newAssignment = (course, kind, done) =>
  openDialog({
    title: t(kind === "test" ? "newTest" : "newAssignment"),
    build: (close) =>
      form({
        fields: [...fields(), ...(kind === "test" ? [...quizFields(), ...testFields()] : [resubmission()]), state()],
        submit: text("add"),
        oncancel: () => close(),
        onsubmit: async (values, { key }) => {
          const body = { ...bodyOf(values), ...(kind === "test" && { test: await testOf(values, key) }) };
          await call("POST /v1/courses/{course}/assignments", { course, body }, { key });
          close();
          await done();
        },
      }),
  });

/** @param {string} course @param {Assignment} assignment @param {() => Promise<unknown>} done */
export const editAssignment = (course, assignment, done) =>
  openDialog({
    title: t("editAssignment"),
    build: (close) =>
      form({
        fields: [
          ...fields(assignment),
          ...(assignment.kind === "test" ? testFields(assignment) : [resubmission(assignment)]),
          state(assignment),
        ],
        submit: text("save"),
        oncancel: () => close(),
        onsubmit: async (values) => {
          const test = assignment.test && { ...assignment.test, ...values.test };
          const body = { instructions: null, dueAt: null, lateUntil: null, ...bodyOf(values), test };
          const { id, version } = assignment;
          await call("PATCH /v1/courses/{course}/assignments/{id}", { course, id, body }, { version });
          close();
          await done();
        },
      }),
  });

/** @param {Assignment} [assignment] @returns {Field[]} */
const fields = (assignment) => [
  { name: "title", label: t("title"), value: assignment?.title, required: true, props: { maxlength: 120 } },
  {
    name: "instructions",
    label: t("instructions"),
    kind: "textarea",
    value: assignment?.instructions,
    props: { maxlength: 10_000 },
  },
  {
    name: "points",
    label: t("points"),
    kind: "number",
    value: pointsOf(assignment?.points ?? 10_000),
    required: true,
    props: pointProps(MOST_POINTS),
  },
  { name: "dueAt", label: t("dueAt"), kind: "datetime-local", value: localTime(assignment?.dueAt) },
  {
    name: "lateUntil",
    label: t("lateUntil"),
    hint: t("lateUntilHint"),
    kind: "datetime-local",
    value: localTime(assignment?.lateUntil),
  },
];

/** @param {Assignment} [assignment] @returns {Field} */
const resubmission = (assignment) => ({
  name: "resubmission",
  label: t("resubmission"),
  kind: "select",
  value: assignment?.resubmission ?? "untilGraded",
  options: /** @type {const} */ (["never", "untilGraded", "afterReturn"]).map((value) => ({
    value,
    label: t(`resubmission-${value}`),
  })),
});

/** @param {Assignment} [assignment] @returns {Field} */
const state = (assignment) => ({
  name: "isPublished",
  label: t("isPublishedAssignment"),
  kind: "checkbox",
  value: assignment?.state !== "draft",
});

/** How the test is taken. @param {Assignment} [assignment] @returns {Field[]} */
const testFields = (assignment) => [
  {
    name: "test.attempts",
    label: t("attempts"),
    hint: t("attemptsHint"),
    kind: "number",
    value: assignment?.test?.attempts ?? 1,
    required: true,
    props: { min: 1, max: 20, inputmode: "numeric" },
  },
  {
    name: "test.solutions",
    label: t("solutions"),
    kind: "select",
    value: assignment?.test?.solutions ?? "afterAttempt",
    options: /** @type {const} */ (["afterAttempt", "afterClosing", "never"]).map((value) => ({
      value,
      label: t(`solutions-${value}`),
    })),
  },
];

/** What the test asks; it stays as it is. @returns {Field[]} */
const quizFields = () => [
  {
    name: "set",
    label: t("studySet"),
    kind: "select",
    required: true,
    options: study().model.sets.get().filter((it) => isOwner(it.id)).map((it) => ({ value: it.id, label: it.title })),
  },
  {
    name: "questionCount",
    label: t("questionCount"),
    kind: "number",
    value: 10,
    required: true,
    props: { min: 1, max: 200, inputmode: "numeric" },
  },
  {
    name: "minutes",
    label: t("timeLimit"),
    hint: t("timeLimitHint"),
    kind: "number",
    props: { min: 1, max: 600, inputmode: "numeric" },
  },
  {
    name: "kind",
    label: t("questionKind"),
    kind: "select",
    value: "mixed",
    options: /** @type {const} */ (["mixed", "choice", "written", "trueFalse"]).map((value) => ({
      value,
      label: t(`kind-${value}`),
    })),
  },
];

/** @param {any} values of the fields that both kinds have */
const bodyOf = ({ title, instructions, points, dueAt, lateUntil, resubmission, isPublished }) => ({
  title,
  points: toHundredths(points),
  state: /** @type {Assignment["state"]} */ (isPublished ? "published" : "draft"),
  ...(instructions && { instructions }),
  ...(dueAt && { dueAt: new Date(dueAt).toISOString() }),
  ...(lateUntil && { lateUntil: new Date(lateUntil).toISOString() }),
  ...(resubmission && { resubmission }),
});

/** Makes the quiz of a test. @param {any} values @param {string} key */
async function testOf({ title, set, questionCount, minutes, kind, test }, key) {
  // the quiz asks cards as the platform has them
  if (study().store.pending.get() > 0) await study().sync.run();
  const kinds = kind === "mixed" ? undefined : [kind];
  const timeLimitSeconds = minutes && minutes * 60;
  const body = { title, sets: [set], questionCount, timeLimitSeconds, kinds };
  const { id: quiz } = await call("POST /v1/quizzes", { body }, { key: `${key}-quiz` });
  return { quiz, ...test };
}

/** For a field: the time here, without a zone. @param {string} [at] */
function localTime(at) {
  if (!at) return undefined;
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
