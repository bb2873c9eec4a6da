// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { clockTime, dateTime, number } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { go, link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { decideOnHealthData } from "../components/personal-data.js";
import { reactionBar } from "../components/reactions.js";
import { workoutSign } from "../components/signs.js";
import { t } from "../screen-strings.js";
import { loadWords } from "../words.js";
import { figure, workoutName } from "../workouts.js";

/** @import { Workout } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */
/** @import { Visit } from "../../shared/router.js" */

/** @param {Visit} visit */
export async function load({ params, signal }) {
  const [workout] = await Promise.all([call("GET /v1/workouts/{id}", { id: params.id }, { signal }), loadWords()]);
  return workout;
}

/**
 * What came of a workout: right after its end, and later from the history.
 * @param {Workout} initial
 * @param {Visit} visit
 */
export default function workoutScreen(initial, { query }) {
  const workout = state(initial);
  const { id, type, startedAt } = initial;
  const isNew = query.has("finished");
  on(["workout.reaction", "resync"], async () => workout.set(await call("GET /v1/workouts/{id}", { id })));
  return h(
    "article.stack.narrow",
    null,
    h("p", null, h("a.back-link", { href: link("/workouts") }, icon("back"), t("workouts"))),
    h(
      "section.result",
      { class: isNew ? "is-new" : "" },
      h("span.result-sign", null, isNew ? icon("star") : workoutSign(type)),
      isNew && h("p.eyebrow", null, t("wellDone")),
      h("h1", null, workoutName(initial)),
      h("p", null, dateTime(startedAt)),
      () =>
        h(
          "dl.figures.is-large",
          null,
          figure(clockTime(workout.get().activeSeconds * 1000), t("time")),
          figure(
            workout.get().energy ? number(Math.round(workout.get().energy?.kilocalories ?? 0)) : "–",
            t("calories"),
          ),
        ),
    ),
    () => !workout.get().energy && weightCard(workout),
    h("section.card.stack", null, h("h2", null, t("sharing")), () => sharing(workout)),
    h("section.card.stack", null, h("h2", null, t("note")), noteForm(workout)),
    h(
      "p",
      null,
      actionButton({ label: t("deleteWorkout"), icon: "trash", class: "quiet dangerous", run: () => remove(id) }),
    ),
  );
}

/** Without a weight, there are no calories; it is kept with the user's consent only. @param {State<Workout>} workout */
const weightCard = (workout) =>
  h(
    "section.card.stack",
    null,
    h("h2", null, t("addWeight")),
    h("p.soft", null, t("addWeightHint")),
    form({
      compact: true,
      fields: [
        {
          name: "weight",
          label: t("weight"),
          kind: "number",
          required: true,
          props: { min: 20, max: 500, step: "any", inputmode: "decimal" },
        },
        { name: "consents", label: t("healthConsent"), hint: t("healthConsentHint"), kind: "checkbox", required: true },
      ],
      submit: t("compute"),
      onsubmit: async ({ weight }) => {
        await decideOnHealthData(true);
        const body = { weight: Math.round(weight * 1000) };
        workout.set(await call("PATCH /v1/workouts/{id}", { id: workout.get().id, body }));
      },
    }),
  );

/** @param {State<Workout>} workout */
function sharing(workout) {
  const { id, sharing: shared, energy } = workout.get();
  const share = () =>
    openDialog({
      title: t("shareTitle"),
      build: (close) =>
        h(
          "div.stack",
          null,
          h("p.soft", null, t("shareHint")),
          form({
            fields: energy
              ? [{
                name: "includesKilocalories",
                label: t("showCalories"),
                hint: t("showCaloriesHint"),
                kind: "checkbox",
                value: false,
              }]
              : [],
            submit: t("share"),
            oncancel: () => close(),
            onsubmit: async (body) => {
              workout.set(await call("PUT /v1/workouts/{id}/sharing", { id, body }));
              close();
              toast(t("shared"), { kind: "success" });
            },
          }),
        ),
    });
  const unshare = async () => {
    await call("DELETE /v1/workouts/{id}/sharing", { id });
    workout.set(await call("GET /v1/workouts/{id}", { id }));
    toast(t("unshared"), { kind: "success" });
  };
  if (!shared) {
    return h(
      "div.spread",
      null,
      h("p.soft.grow", null, t("notShared")),
      h("button.button.primary", { type: "button", onclick: share }, icon("share"), t("shareWithFollowers")),
    );
  }
  return h(
    "div.stack",
    null,
    h("p.soft", null, t(shared.includesKilocalories ? "sharedWithCalories" : "sharedWithoutCalories")),
    shared.reactions.length > 0 ? reactionBar(shared.reactions) : h("p.small-text", null, t("noReactions")),
    h("p", null, actionButton({ label: t("unshare"), run: unshare })),
  );
}

/** @param {State<Workout>} workout */
const noteForm = (workout) =>
  form({
    compact: true,
    fields: [{
      name: "note",
      label: t("noteLabel"),
      kind: "textarea",
      value: workout.get().note,
      props: { maxlength: 500 },
    }],
    submit: text("save"),
    onsubmit: async ({ note }) => {
      workout.set(await call("PATCH /v1/workouts/{id}", { id: workout.get().id, body: { note: note ?? null } }));
      toast(t("savedChanges"), { kind: "success" });
    },
  });

/** @param {string} id */
async function remove(id) {
  if (!await confirmDialog({ title: t("deleteWorkoutQuestion"), confirm: text("delete"), isDangerous: true })) return;
  await call("DELETE /v1/workouts/{id}", { id });
  toast(t("workoutDeleted"), { kind: "success" });
  await go("/workouts", { replace: true });
}
