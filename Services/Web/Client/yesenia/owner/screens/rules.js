// @ts-check
/** What taxes and shipping cost. The API replaces all rules at once, so each change sends them all. */
import { call, Problem } from "../../../shared/api.js";
import { confirmDialog, openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { menu } from "../../../shared/components/menu.js";
import { problemText } from "../../../shared/components/states.js";
import { toast } from "../../../shared/components/toast.js";
import { money, number } from "../../../shared/language.js";
import { text } from "../../../shared/text.js";
import { each, h, state } from "../../../shared/view.js";
import { regionField, regionName } from "../../../shared/payment/region.js";
import { t } from "../strings.js";

/** @import { PricingRules, ShippingRule, TaxRule } from "../../../../Types/api.d.ts" */
/** @import { Field } from "../../../shared/components/form.js" */
/** @import { State } from "../../../shared/signals.js" */

const CURRENCY = "USD";
/** Rates are parts per million. */
const PER_PERCENT = 10_000;

/** @param {import("../../../shared/router.js").Visit} visit */
export const load = ({ signal }) => call("GET /v1/pricing-rules", {}, { signal });

/** @param {PricingRules} loaded */
export default function rulesScreen(loaded) {
  const rules = state(loaded);
  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h("div", null, h("h1", null, t("rules")), h("p.soft", null, t("rulesHint"))),
    ),
    ruleList(rules, "tax", {
      title: t("taxes"),
      add: t("newTax"),
      nothing: t("noTaxes"),
      words: taxWords,
      fields: taxFields,
      rule: (values) => ({ ...values, rate: Math.round(values.rate * PER_PERCENT) }),
    }),
    ruleList(rules, "shipping", {
      title: t("shipping"),
      add: t("newShipping"),
      nothing: t("noShipping"),
      words: shippingWords,
      fields: shippingFields,
      rule: (values) => values,
    }),
  );
}

/**
 * @template {"tax" | "shipping"} Kind
 * @typedef {PricingRules[Kind][number]} Rule
 */

/**
 * The rules of one kind, with forms in dialogs.
 * @template {"tax" | "shipping"} Kind
 * @param {State<PricingRules>} rules
 * @param {Kind} kind
 * @param {{ title: string, add: string, nothing: string, words: (rule: Rule<Kind>) => string[],
 *   fields: (rule?: Rule<Kind>) => Field[], rule: (values: any) => Rule<Kind> }} options
 *   - `rule`: of the values of the form
 */
function ruleList(rules, kind, { title, add, nothing, words, fields, rule: ruleOf }) {
  const all = () => /** @type {Rule<Kind>[]} */ (rules.get()[kind]);
  const rows = () => all().map((rule, position) => ({ rule, position }));

  /** @param {Rule<Kind>[]} changed */
  async function save(changed) {
    const { tax, shipping, version } = rules.get();
    const body = { tax, shipping, [kind]: changed };
    try {
      rules.set(await call("PUT /v1/pricing-rules", { body }, { version }));
    } catch (error) {
      if (!Problem.is(error, "version-mismatch")) throw error;
      // the next attempt is made with what others have changed
      rules.set(await call("GET /v1/pricing-rules"));
      throw conflict();
    }
    toast(t("saved"), { kind: "success" });
  }

  /** Where a rule is by now; a new one is the last. @param {Rule<Kind>} [rule] */
  const positionOf = (rule) => rule ? all().findIndex((it) => isSame(it, rule)) : all().length;

  /** @param {Rule<Kind>} [rule] that is changed */
  const edit = (rule) =>
    openDialog({
      title: rule ? t("change") : add,
      build: (close) =>
        form({
          fields: fields(rule),
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async (values) => {
            const position = positionOf(rule);
            if (position < 0) throw conflict();
            const changed = save(all().toSpliced(position, 1, ruleOf(values)));
            await atFields(changed, `body.${kind}[${position}]`);
            close();
          },
        }),
    });

  /** @param {number} position */
  async function remove(position) {
    if (!await confirmDialog({ title: t("deleteQuestion"), confirm: text("delete"), isDangerous: true })) return;
    try {
      await save(all().toSpliced(position, 1));
    } catch (error) {
      toast(problemText(error), { kind: "error" });
    }
  }

  return h(
    "section.stack",
    { "aria-label": title },
    h(
      "div.spread",
      null,
      h("h2", null, title),
      h("button.button", { type: "button", onclick: () => edit() }, icon("add"), add),
    ),
    () => all().length === 0 && h("p.soft", null, nothing),
    h(
      "ul.rows",
      { role: "list", "aria-label": title, hidden: () => all().length === 0 },
      each(rows, (it) => it.position, (row) =>
        h(
          "li",
          null,
          h(
            "div",
            null,
            h("span.grow.row-text", null, () => ruleText(words(row.get().rule))),
            menu({
              label: t("changeOrDelete"),
              items: () => [
                { label: t("change"), icon: "edit", run: () => edit(row.get().rule) },
                { label: text("delete"), icon: "trash", isDangerous: true, run: () => remove(row.get().position) },
              ],
            }),
          ),
        )),
    ),
  );
}

/** Others have changed the rules meanwhile. */
const conflict = () => new Problem({ status: 412, code: "rules-changed", title: t("rulesChanged") });

/** @param {TaxRule | ShippingRule} one @param {TaxRule | ShippingRule} other */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * What the API says about a rule is shown at the fields of its form.
 * @param {Promise<unknown>} answer
 * @param {string} location of the rule in the body
 */
const atFields = (answer, location) =>
  answer.catch((error) => {
    if (error instanceof Problem) {
      error.errors = error.errors.map((it) => ({ ...it, location: it.location.replace(location, "body") }));
    }
    throw error;
  });

/** @param {string[]} words */
const ruleText = ([title, ...facts]) => [
  h("strong", null, title),
  h("span.soft.small-text", null, facts.filter(Boolean).join(" · ")),
];

/** @param {string | undefined} region */
const placeText = (region) => region ? regionName(region) : t("everywhere");

/** @param {TaxRule} rule */
function taxWords({ region, taxClass = "", rate, isIncluded }) {
  const percent = number(rate / PER_PERCENT / 100, { style: "percent", maximumFractionDigits: 4 });
  return [placeText(region), t(isIncluded ? "taxIncluded" : "taxAdded", { percent }), taxClass];
}

/** @param {TaxRule} [rule] @returns {Field[]} */
const taxFields = (rule) => [
  regionField("region", rule?.region, { everywhere: t("everywhere") }),
  {
    name: "taxClass",
    label: t("taxClass"),
    hint: t("taxClassHint"),
    value: rule?.taxClass,
    props: { maxlength: 120, autocapitalize: "none" },
  },
  rateField(rule && rule.rate / PER_PERCENT),
  { name: "isIncluded", label: t("isIncluded"), kind: "checkbox", value: rule?.isIncluded },
];

/** In percent; the API's words would be about millionths. @param {number | undefined} value @returns {Field} */
function rateField(value) {
  let input = /** @type {HTMLInputElement | undefined} */ (undefined);
  const isRate = (/** @type {number} */ typed) => typed >= 0 && typed <= 100;
  return {
    name: "rate",
    label: t("rate"),
    kind: "number",
    value,
    required: true,
    check: () => isRate(Number(input?.value)) ? "" : t("rateRange"),
    props: { ref: (/** @type {HTMLInputElement} */ it) => input = it, min: 0, max: 100, step: "any" },
  };
}

/** @param {ShippingRule} rule */
const shippingWords = ({ region, base, perKilogram, freeFrom }) => [
  placeText(region),
  t("perShipment", { amount: money(base) }),
  perKilogram ? t("byKilogram", { amount: money(perKilogram) }) : "",
  freeFrom ? t("freeAbove", { amount: money(freeFrom) }) : "",
];

/** @param {ShippingRule} [rule] @returns {Field[]} */
function shippingFields(rule) {
  const currency = rule?.base.currency ?? CURRENCY;
  return [
    regionField("region", rule?.region, { everywhere: t("everywhere") }),
    { name: "base", label: t("base"), kind: "money", currency, value: rule?.base, required: true },
    { name: "perKilogram", label: t("perKilogram"), kind: "money", currency, value: rule?.perKilogram },
    { name: "freeFrom", label: t("freeFrom"), hint: t("freeFromHint"), kind: "money", currency, value: rule?.freeFrom },
  ];
}
