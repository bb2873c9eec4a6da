// @ts-check
import { call, Problem } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { go, link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { draft, dropDraft, keepDraft } from "../draft.js";
import { cancelSetup } from "../components/cancel-setup.js";
import { ownCard } from "../components/own-card.js";
import { stageFields } from "../components/stage-fields.js";
import { loadProfile, profile, saveProfile, STAGES, stagesOf } from "../profile.js";
import { p } from "../profile-strings.js";
import { t } from "../screen-strings.js";

/** @import { PreferenceField } from "../../../Types/api.d.ts" */
/** @import { Stage } from "../profile.js" */

const STEPS = /** @type {const} */ ([...STAGES, "review"]);
/** @typedef {(typeof STEPS)[number]} Step */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params, signal }) {
  const step = STEPS.find((it) => it === params.stage);
  if (!step) throw new Problem({ status: 404, code: "not-found", title: "" });
  const known = profile.get() === undefined ? await loadProfile(signal) : profile.get();
  const missing = known?.missingStages ?? STAGES;
  if (known?.isComplete) await go("/", { replace: true });
  else if (step === "review" && missing.length > 0) await go(`/setup/${missing[0]}`, { replace: true });
  const { items } = step === "preferences"
    ? await call("GET /v1/roommates/preference-fields", {}, { signal })
    : { items: [] };
  return { step, table: items };
}

/** @param {{ step: Step, table: PreferenceField[] }} data */
export default function setupScreen({ step, table }) {
  const index = STEPS.indexOf(step);
  const before = index > 0 ? `/setup/${STEPS[index - 1]}` : "/setup";
  return h(
    "div.setup.stack",
    null,
    h(
      "div.setup-bar",
      null,
      h("a.button.quiet", { href: link(before) }, icon("back"), t("back")),
      h("button.button.quiet", { type: "button", onclick: cancelSetup }, text("cancel")),
    ),
    h(
      "div.setup-progress",
      {
        role: "progressbar",
        "aria-label": p("progress"),
        "aria-valuemin": 0,
        "aria-valuemax": STEPS.length,
        "aria-valuenow": index + 1,
      },
      STEPS.map((_, it) => h("span", { class: it <= index ? "is-done" : "" })),
    ),
    h("p.eyebrow", null, p("step", { number: index + 1, count: STEPS.length })),
    h("h1", null, p(`${step}Title`)),
    h("p.soft", null, p(`${step}Why`)),
    step === "review" ? review() : stageForm(step, table, STEPS[index + 1]),
  );
}

/**
 * What is typed is kept at once, and saved with the button.
 * @param {Stage} stage
 * @param {PreferenceField[]} table
 * @param {Step} next
 */
function stageForm(stage, table, next) {
  return form({
    fields: stageFields(stage, draft(), table),
    submit: t("next"),
    onchange: (values) => keepDraft(stage, values[stage]),
    onsubmit: async (values) => {
      await saveProfile({ ...stagesOf(profile.get()), [stage]: values[stage] }, { isComplete: false });
      keepDraft(stage, values[stage]);
      await go(`/setup/${next}`);
    },
  });
}

function review() {
  const known = stagesOf(profile.get());
  return h(
    "div.stack",
    null,
    ownCard(known),
    form({
      fields: [],
      submit: p("createProfile"),
      onsubmit: async () => {
        await saveProfile(known, { isComplete: true });
        dropDraft();
        await go("/", { replace: true });
        toast(p("welcomeToast"), { kind: "success" });
      },
    }),
  );
}
