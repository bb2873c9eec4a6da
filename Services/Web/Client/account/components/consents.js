// @ts-check
/** What the user agrees to, each with the version of its text (docs/accounts.md). */
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { date } from "../../shared/language.js";
import { renewSession } from "../../shared/session.js";
import { t } from "../strings.js";
import { line, section } from "./section.js";

/** @import { Consent, ConsentPurposeText } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @type {Record<Consent["purpose"], { title: string, detail: string }>} */
const PURPOSES = {
  termsOfService: { title: t("purposeTerms"), detail: t("purposeTermsFor") },
  privacyPolicy: { title: t("purposePrivacy"), detail: t("purposePrivacyFor") },
  newsletter: { title: t("purposeNewsletter"), detail: t("purposeNewsletterFor") },
  analytics: { title: t("purposeAnalytics"), detail: t("purposeAnalyticsFor") },
  healthData: { title: t("purposeHealth"), detail: t("purposeHealthFor") },
};

/** The version of a text for which the operator demands none. */
const ANY_VERSION = "1";

/**
 * @param {State<Consent[]>} consents
 * @param {ConsentPurposeText[]} purposes
 */
export function consentSection(consents, purposes) {
  /**
   * @param {ConsentPurposeText} purpose
   * @param {boolean} isGiven
   */
  async function decide({ purpose, textVersion = ANY_VERSION }, isGiven) {
    const decisions = [{ purpose, textVersion, isGiven }];
    consents.set((await call("PUT /v1/users/me/consents", { body: { decisions } })).current);
    await renewSession();
    toast(t("saved"), { kind: "success" });
  }

  return section(
    t("consents"),
    t("consentsIntro"),
    () =>
      purposes.map((it) => {
        const known = consents.get().find(({ purpose }) => purpose === it.purpose);
        const { title, detail } = PURPOSES[it.purpose];
        const isGiven = known?.isGiven === true;
        const since = known && t(isGiven ? "consentGiven" : "consentWithdrawn", { date: date(known.decidedAt) });
        const label = t(isGiven ? "withdraw" : "agree");
        return line({
          title,
          detail: [detail, since].filter(Boolean).join(" "),
          actions: actionButton({
            label,
            class: isGiven ? "small" : "small soft-accent",
            run: () => decide(it, !isGiven),
            props: { "aria-label": `${label}: ${title}` },
          }),
        });
      }),
  );
}
