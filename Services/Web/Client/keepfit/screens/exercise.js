// @ts-check
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { relative } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { bodyMap } from "../components/body-map.js";
import { reactionBar } from "../components/reactions.js";
import { t } from "../screen-strings.js";
import { loadWords, word } from "../words.js";

/** @import { Exercise } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params, signal }) {
  const [exercise] = await Promise.all([call("GET /v1/exercises/{id}", { id: params.id }, { signal }), loadWords()]);
  return exercise;
}

/** @param {Exercise} initial */
export default function exerciseScreen(initial) {
  const exercise = state(initial);
  const { name, muscle, secondaryMuscles, equipment, level, instructions } = initial;
  on(["exercise.reaction", "resync"], () => reload(exercise));
  return h(
    "article.stack",
    null,
    h("p", null, h("a.back-link", { href: link("/explore/exercises") }, icon("back"), t("exercises"))),
    h(
      "div.exercise",
      null,
      h("div.card.exercise-figure", null, bodyMap(muscle, secondaryMuscles)),
      h(
        "div.stack",
        null,
        h("h1", null, name),
        h(
          "p.row",
          null,
          h("a.chip.is-accent", { href: link("/explore/exercises", { muscle }) }, word("muscle", muscle)),
          h("span.chip", null, word("exerciseLevel", level)),
          h(
            "a.chip",
            { href: link("/explore/exercises", { equipment }) },
            equipment === "none" ? t("noEquipment") : word("equipment", equipment),
          ),
        ),
        secondaryMuscles.length > 0 &&
          h("p.soft", null, t("alsoTrains", { muscles: secondaryMuscles.map((it) => word("muscle", it)).join(", ") })),
        actions(exercise),
        h("h2", null, t("howTo")),
        h("ol.steps", { role: "list" }, instructions.map((it) => h("li", null, h("p", null, it)))),
      ),
    ),
  );
}

/** @param {State<Exercise>} exercise */
async function reload(exercise) {
  exercise.set(await call("GET /v1/exercises/{id}", { id: exercise.get().id }));
}

/** Saving it, and showing what is saved to followers. @param {State<Exercise>} exercise */
function actions(exercise) {
  const { id } = exercise.get();
  const isSaved = () => exercise.get().isSaved;
  const isShared = () => Boolean(exercise.get().sharing);
  const save = async () => {
    await call(`${isSaved() ? "DELETE" : "PUT"} /v1/exercises/{id}/save`, { id });
    await reload(exercise);
  };
  const share = async () => {
    await call(`${isShared() ? "DELETE" : "PUT"} /v1/exercises/{id}/sharing`, { id });
    await reload(exercise);
    toast(t(isShared() ? "shared" : "unshared"), { kind: "success" });
  };
  return h(
    "div.stack",
    null,
    h(
      "div.row",
      null,
      actionButton({
        label: () => t(isSaved() ? "saved" : "saveExercise"),
        icon: () => isSaved() ? "check" : "archive",
        class: () => isSaved() ? "soft-accent" : "primary",
        run: save,
      }),
      actionButton({
        label: () => t(isShared() ? "unshare" : "shareWithFollowers"),
        icon: "share",
        props: { hidden: () => !isSaved() },
        run: share,
      }),
    ),
    () => {
      const { sharing } = exercise.get();
      return sharing && h(
        "div.card.stack",
        null,
        h("p.soft.small-text", null, t("sharedAt", { time: relative(sharing.sharedAt) })),
        sharing.reactions.length > 0 ? reactionBar(sharing.reactions) : h("p.small-text", null, t("noReactions")),
      );
    },
  );
}
