// @ts-check
import { call } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { money, number } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { chip, facts } from "../components/entry.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { ConsentPurposeText, PricingRules } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ signal }) {
  const [purposes, pricing] = await Promise.all([
    call("GET /v1/consent-purposes", {}, { signal }),
    call("GET /v1/pricing-rules", {}, { signal }),
  ]);
  return { purposes: purposes.items, pricing };
}

/** @type {Record<ConsentPurposeText["purpose"], string>} */
const PURPOSES = {
  termsOfService: t("purposeTerms"),
  privacyPolicy: t("purposePrivacy"),
  newsletter: t("purposeNewsletter"),
  analytics: t("purposeAnalytics"),
  healthData: t("purposeHealth"),
};

/** What is in force: what users consent to, and what taxes and shipping cost. @param {Awaited<ReturnType<typeof load>>} loaded */
export default function rulesScreen({ purposes, pricing }) {
  return sectionPage(
    "system",
    {
      title: t("rules"),
      intro: t("rulesIntro"),
      // the owner's side is a page of its own: the router leaves links with a target to the browser
      action: h("a.button", { href: link("/shop/rules"), target: "_self" }, icon("edit"), t("changePrices")),
    },
    h(
      "section.card.stack",
      null,
      h("h2", null, t("consents")),
      facts(purposes.map((it) => /** @type {const} */ ([
        PURPOSES[it.purpose],
        it.textVersion ? chip(t("textVersion", { version: it.textVersion }), "is-accent") : t("anyVersion"),
      ]))),
    ),
    h("section.card.stack", null, h("h2", null, t("taxes")), taxes(pricing.tax)),
    h("section.card.stack", null, h("h2", null, t("shipping")), shipping(pricing.shipping)),
  );
}

/** @param {PricingRules["tax"]} rules */
const taxes = (rules) =>
  rules.length === 0 ? h("p.soft", null, t("noRules")) : facts(rules.map((it) => /** @type {const} */ ([
    [it.region ?? t("everywhere"), it.taxClass].filter(Boolean).join(" · "),
    `${number(it.rate / 1_000_000, { style: "percent", maximumFractionDigits: 3 })} ${
      t(it.isIncluded ? "taxIncluded" : "taxAdded")
    }`,
  ])));

/** @param {PricingRules["shipping"]} rules */
const shipping = (rules) =>
  rules.length === 0 ? h("p.soft", null, t("noRules")) : facts(rules.map((it) => /** @type {const} */ ([
    it.region ?? t("everywhere"),
    [
      money(it.base),
      it.perKilogram && t("perKilogram", { amount: money(it.perKilogram) }),
      it.freeFrom && t("freeFrom", { amount: money(it.freeFrom) }),
    ].filter(Boolean).join(" · "),
  ])));
