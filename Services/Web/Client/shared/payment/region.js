// @ts-check
/** Where an order goes: a country, and in some a part of it, as both decide on tax and shipping. */
import { language } from "../language.js";
import { h, state } from "../view.js";
import "./style.js";
import { t } from "./strings.js";

const COUNTRIES =
  ("AD AE AR AT AU BA BE BG BO BR CA CH CL CN CO CR CY CZ DE DK DO EC EE EG ES FI FR GB GR GT HK HN HR HU " +
    "ID IE IL IN IS IT JM JP KE KR LI LT LU LV MA MC MT MX MY NG NI NL NO NZ PA PE PH PK PL PR PT PY RO RS SA SE SG SI SK " +
    "SV TH TR TW UA US UY VE VN ZA").split(" ");

/** Countries whose parts have rules of their own. */
const WITH_PARTS = ["US", "CA", "AU", "BR", "IN", "MX"];

/** The names of countries, in the language of the page. @param {string} known one that is among them in any case */
function countries(known) {
  const names = new Intl.DisplayNames(language.slice(0, 2), { type: "region" });
  const codes = known && !COUNTRIES.includes(known) ? [...COUNTRIES, known] : COUNTRIES;
  return codes.map((value) => ({ value, label: names.of(value) ?? value }))
    .sort((one, other) => one.label.localeCompare(other.label));
}

/** The place in words: "California" is not known, so `US-CA` is "CA, United States". @param {string} region */
export function regionName(region) {
  const [country, part] = region.split("-");
  const name = new Intl.DisplayNames(language.slice(0, 2), { type: "region" }).of(country) ?? country;
  return part ? `${part}, ${name}` : name;
}

/** Where customers are likely to be: the region of the browser's language. */
function likelyCountry() {
  const region = new Intl.Locale(navigator.language).region;
  return COUNTRIES.find((it) => it === region) ?? "US";
}

/**
 * A field of a form, whose value is a region such as `US-CA` or `DE`.
 * @param {string} name
 * @param {string | undefined} value
 * @param {{ onchange?: (region: string | undefined) => void, everywhere?: string }} [options]
 *   - `everywhere`: what no region is called, where it can be chosen; its value is absent
 */
export function regionField(name, value, { onchange, everywhere } = {}) {
  const [known = everywhere ? "" : likelyCountry(), knownPart = ""] = value?.split("-") ?? [];
  const country = state(known);
  const choices = [...(everywhere ? [{ value: "", label: everywhere }] : []), ...countries(known)];
  const select = h(
    "select.input",
    { "aria-label": t("country"), autocomplete: "country", onchange: changed },
    choices.map((it) => h("option", { value: it.value, selected: it.value === known }, it.label)),
  );
  const part = h("input.input", {
    "aria-label": t("statePart"),
    placeholder: t("statePart"),
    autocomplete: "address-level1",
    maxlength: 3,
    autocapitalize: "characters",
    value: knownPart,
    onchange: changed,
  });
  const hasParts = () => WITH_PARTS.includes(country.get()) || (knownPart !== "" && country.get() === known);
  const read = () =>
    [select.value, hasParts() && part.value.trim().toUpperCase()].filter(Boolean).join("-") || undefined;
  function changed() {
    country.set(select.value);
    onchange?.(read());
  }
  const element = h("div.region", null, select, h("span", { hidden: () => !hasParts() }, part));
  return { name, label: t("country"), kind: "custom", element, required: !everywhere, read };
}
