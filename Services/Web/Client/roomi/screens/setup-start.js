// @ts-check
import { icon } from "../../shared/components/icon.js";
import { go, link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { cancelSetup } from "../components/cancel-setup.js";
import { loadProfile, profile, STAGES } from "../profile.js";
import { p } from "../profile-strings.js";

/** @import { RoommateProfile } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ signal }) {
  const known = profile.get() === undefined ? await loadProfile(signal) : profile.get();
  if (known?.isComplete) await go("/", { replace: true });
  return known;
}

/**
 * What is ahead, and where it goes on for who has begun.
 * @param {RoommateProfile | null} known
 */
export default function setupStartScreen(known) {
  const missing = known ? known.missingStages : [...STAGES];
  const next = missing[0] ?? "review";
  return h(
    "div.setup.stack",
    null,
    h("div.hero-mark", { "aria-hidden": "true" }, icon("home"), icon("heart")),
    h("h1", null, p("setupTitle")),
    h("p.soft", null, p("setupIntro")),
    h(
      "ol.setup-list",
      { role: "list" },
      STAGES.map((stage, index) =>
        h(
          "li",
          { class: missing.includes(stage) ? "" : "is-done" },
          h("span.setup-number", { "aria-hidden": "true" }, missing.includes(stage) ? index + 1 : icon("check")),
          h("strong", null, p(stage)),
          !missing.includes(stage) && h("span.visually-hidden", null, p("done")),
        )
      ),
    ),
    h("a.button.primary.wide", { href: link(`/setup/${next}`) }, p(known ? "setupContinue" : "setupStart")),
    known && h("button.button.quiet", { type: "button", onclick: cancelSetup }, p("setupCancel")),
  );
}
