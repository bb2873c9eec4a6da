// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { each, h, state } from "../../shared/view.js";
import { chip, entry } from "../components/entry.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { FeatureState, Operations } from "../../../Types/api.d.ts" */
/** @typedef {Operations["PUT /v1/admin/features/{name}"]["args"]["name"]} FeatureName */

/** @type {Record<FeatureName, { label: string, hint: string }>} */
const FEATURES = {
  "sign-up": { label: t("featureSignUp"), hint: t("featureSignUpHint") },
  uploads: { label: t("featureUploads"), hint: t("featureUploadsHint") },
  auctions: { label: t("featureAuctions"), hint: t("featureAuctionsHint") },
  messages: { label: t("featureMessages"), hint: t("featureMessagesHint") },
};

export const load = async () => (await call("GET /v1/features", {})).items;

/**
 * What is switched off for everyone (docs/operations.md).
 * @param {FeatureState[]} loaded
 */
export default function featuresScreen(loaded) {
  const features = state(loaded.filter((it) => it.name in FEATURES));

  /** @param {FeatureState} feature */
  async function toggle({ name, isOn, version }) {
    const known = /** @type {FeatureName} */ (name);
    const { label, hint } = FEATURES[known];
    const question = isOn
      ? { title: t("switchOffQuestion", { name: label }), confirm: t("switchOff"), isDangerous: true }
      : { title: t("switchOnQuestion", { name: label }), confirm: t("switchOn") };
    if (!await confirmDialog({ ...question, message: hint })) return;
    const body = { isOn: !isOn };
    const changed = await withProof(() => call("PUT /v1/admin/features/{name}", { name: known, body }, { version }));
    features.update((all) => all.map((it) => it.name === name ? changed : it));
    toast(t("saved"), { kind: "success" });
  }

  return sectionPage(
    "system",
    { title: t("features"), intro: t("featuresIntro") },
    h(
      "ul.rows",
      { role: "list", "aria-label": t("features") },
      each(features, (it) => it.name, (item) =>
        h(
          "li",
          null,
          h("div", null, () => {
            const feature = item.get();
            const { label, hint } = FEATURES[/** @type {FeatureName} */ (feature.name)];
            return entry({
              title: label,
              details: [hint],
              end: [
                chip(t(feature.isOn ? "isOn" : "isOff"), feature.isOn ? "is-success" : "is-danger"),
                actionButton({
                  label: t(feature.isOn ? "switchOff" : "switchOn"),
                  class: "small",
                  run: () => toggle(feature),
                }),
              ],
            });
          }),
        )),
    ),
  );
}
