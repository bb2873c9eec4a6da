// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { askBeforeLeaving, go } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h, onCleanUp } from "../../shared/view.js";
import { stageFields } from "../components/stage-fields.js";
import { completeProfile, deletePhotos, profile, saveProfile, STAGES, stagesOf } from "../profile.js";
import { p } from "../profile-strings.js";

/** @import { PreferenceField, RoommateProfile } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load(visit) {
  const known = await completeProfile(visit);
  const { items } = await call("GET /v1/roommates/preference-fields", {}, { signal: visit.signal });
  return { known, table: items };
}

/** All stages of the profile in one form. @param {{ known: RoommateProfile, table: PreferenceField[] }} data */
export default function editScreen({ known, table }) {
  let isChanged = false;
  onCleanUp(askBeforeLeaving(() => isChanged && text("leavePage")));
  const stages = stagesOf(known);
  // what is seen first is changed first
  const order = /** @type {const} */ (["photos", "about", "identity", "contact", "preferences"]);
  const fields = order.flatMap((stage) => {
    const [first, ...rest] = stageFields(stage, stages, table);
    const heading = stage === "about" || stage === "identity" ? p(stage) : first.heading;
    return [{ ...first, heading }, ...rest];
  });

  /** @param {import("../profile.js").Stages} values */
  async function save(values) {
    const before = known.photos ? [known.photos.card, ...known.photos.others] : [];
    await saveProfile(Object.fromEntries(STAGES.map((stage) => [stage, values[stage]])), { isComplete: true });
    isChanged = false;
    const kept = profile.get()?.photos;
    deletePhotos(before.filter((id) => id !== kept?.card && !kept?.others.includes(id)));
    await go("/profile", { replace: true });
    toast(p("profileUpdated"), { kind: "success" });
  }

  return h(
    "div.prose",
    { onchange: () => void (isChanged = true) },
    h("header.page-header", null, h("h1", null, p("editProfile"))),
    form({ fields, submit: p("updateProfile"), onsubmit: save, oncancel: () => go("/profile", { replace: true }) }),
  );
}
