// @ts-check
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { empty } from "../../shared/components/states.js";
import { clockTime, date, percent } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { quizRun } from "../components/quiz-run.js";
import { hueOf } from "../components/set-card.js";
import { loadSet, study } from "../study.js";
import { makeQuiz } from "../study/quiz.js";
import { t } from "../screen-strings.js";

/** @import { Question } from "../study/quiz.js" */

export const load = loadSet;

/** A quiz from a set: chosen, taken, and its result. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function quizScreen(_data, { params: { id } }) {
  const { model } = study();
  const set = model.setOf(id);
  const cards = model.cardsOf(id).filter((it) => it.front.trim() && it.back.trim());
  const run = state(/** @type {{ questions: Question[], limit: number } | null} */ (null));

  /** @param {any} values */
  const start = ({ count, minutes, kind, direction }) => {
    /** @type {any} */
    const kinds = kind === "mixed" ? ["written", "choice", "trueFalse"] : [kind];
    const seed = crypto.getRandomValues(new BigUint64Array(1))[0];
    const questions = makeQuiz(Math.min(count ?? 10, 200), cards, { kinds, direction, seed });
    run.set({ questions, limit: (minutes ?? 0) * 60_000 });
  };
  const again = (/** @type {Question[]} */ questions) => run.set({ questions, limit: 0 });
  const options = () =>
    form({
      fields: [
        {
          name: "count",
          label: t("questionCount"),
          kind: "number",
          value: Math.min(10, cards.length),
          required: true,
          props: { min: 1, max: Math.min(200, cards.length), inputmode: "numeric" },
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
        {
          name: "direction",
          label: t("direction"),
          kind: "select",
          value: "frontToBack",
          options: /** @type {const} */ (["frontToBack", "backToFront"]).map((value) => ({ value, label: t(value) })),
        },
      ],
      submit: t("startQuiz"),
      onsubmit: start,
    });
  return h(
    "div.stack.play-page",
    { style: { "--hue": hueOf(id) } },
    h(
      "header.play-head",
      null,
      h("a.button.quiet.icon-only", { href: link(`/sets/${id}`), "aria-label": t("backToSet") }, icon("close")),
      h("h1.play-title", null, t("quizOf", { title: set?.title ?? "" })),
    ),
    () => {
      const running = run.get();
      if (running) return quizRun({ set: id, ...running, again, choose: () => run.set(null) });
      if (cards.length === 0) return empty({ icon: "card", title: t("noCards"), message: t("noCardsHint") });
      return h("div.stack", null, h("section.card", null, options()), history(id));
    },
  );
}

/** Former results. @param {string} id */
function history(id) {
  const results = study().model.entriesOf("quizResults").get().filter((it) => it.set === id).reverse().slice(0, 10);
  if (results.length === 0) return null;
  return h(
    "section.stack",
    null,
    h("h2", null, t("formerResults")),
    h(
      "ul.rows",
      { role: "list" },
      results.map(({ at, milliseconds, fields }) => {
        const [correct, incorrect] = [Number(fields.correct) || 0, Number(fields.incorrect) || 0];
        const all = correct + incorrect;
        return h(
          "li",
          null,
          h(
            "div",
            null,
            h("strong.number.score", null, percent(all > 0 ? correct / all : 0)),
            h("span.grow", null, t("correctOf", { correct, count: all })),
            h("span.soft.small-text", null, `${date(at)} · ${clockTime(milliseconds)}`),
          ),
        );
      }),
    ),
  );
}
