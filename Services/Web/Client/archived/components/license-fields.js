// @ts-check
/** The part of a listing's form that says which licenses it offers, and for what price. */
import { buildField } from "../../shared/components/form.js";
import { h, state } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { licenseName } from "./listings.js";

/** @import { LicenseOption } from "../../../Types/api.d.ts" */
/** @typedef {LicenseOption["price"]["currency"]} Currency */

/** @type {Record<LicenseOption["kind"], Pick<LicenseOption, "files" | "streams" | "days">>} what a new license permits */
const DEFAULTS = {
  free: { files: ["mp3"] },
  lease: { files: ["mp3"], streams: 100_000, days: 365 },
  unlimited: { files: ["mp3", "wav"] },
  exclusive: { files: ["mp3", "wav"] },
};
/** @type {LicenseOption["kind"][]} */
const KINDS = ["lease", "unlimited", "exclusive", "free"];

/**
 * A field of `form` whose value is a list of licenses.
 * @param {{ known?: LicenseOption[], currency: Currency }} options
 */
export function licenseFields({ known, currency }) {
  const rows = KINDS.map((kind) =>
    row(kind, known?.find((it) => it.kind === kind), !known && kind === "lease", currency)
  );
  const element = h(
    "div.license-fields",
    { role: "group", "aria-label": t("licenses"), tabindex: -1 },
    rows.map((it) => it.element),
  );
  const read = () => {
    const chosen = rows.map((it) => it.read()).filter((it) => it !== null);
    return chosen.length > 0 && chosen.every((it) => it.price) ? chosen : undefined;
  };
  return { name: "licenses", label: t("licenses"), hint: t("licensesHint"), required: true, element, read };
}

/**
 * @param {LicenseOption["kind"]} kind
 * @param {LicenseOption | undefined} known
 * @param {boolean} isOn
 * @param {Currency} currency
 */
function row(kind, known, isOn, currency) {
  const isOffered = state(Boolean(known) || isOn);
  const check = buildField({
    name: `offers-${kind}`,
    label: licenseName(kind),
    kind: "checkbox",
    hint: t(`${kind}Hint`),
    value: isOffered.get(),
    props: { onchange: (/** @type {any} */ event) => isOffered.set(event.target.checked) },
  });
  const price = buildField({
    name: `price-${kind}`,
    label: t("priceOf", { license: licenseName(kind) }),
    kind: "money",
    value: known?.price,
    currency,
  });
  const element = h(
    "div.license-field",
    null,
    check.element,
    kind !== "free" && h("div", { hidden: () => !isOffered.get() }, price.element),
  );
  /** @returns {LicenseOption | null} */
  const read = () => {
    if (!isOffered.get()) return null;
    const amount = kind === "free" ? { amount: 0, currency } : price.read() ?? known?.price;
    const terms = known ?? { kind, ...DEFAULTS[kind], territory: "worldwide", ownerShare: 5000 };
    return { ...terms, kind, price: /** @type {any} */ (amount) };
  };
  return { element, read };
}
