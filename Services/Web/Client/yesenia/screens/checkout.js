// @ts-check
import { call, Problem } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { picture } from "../../shared/components/picture.js";
import { empty, problemText, spinner } from "../../shared/components/states.js";
import { money } from "../../shared/language.js";
import { paymentField, paymentOptions } from "../../shared/payment/cards.js";
import { regionField } from "../../shared/payment/region.js";
import { t as paying } from "../../shared/payment/strings.js";
import { totals } from "../../shared/payment/totals.js";
import { withLocalizedProblem } from "../../shared/problems.js";
import { go, link } from "../../shared/router.js";
import { computed, h, state, untracked } from "../../shared/view.js";
import { cart, itemCount, loadCart } from "../cart.js";
import { t } from "../strings.js";

/** @import { PaymentSettings, Quote } from "../../../Types/api.d.ts" */
/** @import { PaymentOption } from "../../shared/payment/cards.js" */
/** @typedef {{ options: PaymentOption[], settings: PaymentSettings }} CheckoutData */

/** @param {import("../../shared/router.js").Visit} visit @returns {Promise<CheckoutData>} */
export async function load({ signal }) {
  const [options, settings] = await Promise.all([
    paymentOptions(signal),
    call("GET /v1/payment-settings", {}, { signal }),
    loadCart(),
  ]);
  return { options, settings };
}

/**
 * The items of a guest may arrive a moment after the sign-in.
 * @param {CheckoutData} data
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function checkoutScreen(data, visit) {
  const isEmpty = computed(() => itemCount.get() === 0);
  return h(
    "div.stack",
    null,
    h("h1", null, t("checkout")),
    () => isEmpty.get() ? nothing() : untracked(() => checkout(data, visit)),
  );
}

const nothing = () =>
  empty({
    icon: "cart",
    title: t("cartEmpty"),
    message: t("cartEmptyHint"),
    action: h("a.button.primary", { href: link("/shop") }, t("shopNow")),
  });

/**
 * @param {CheckoutData} data
 * @param {import("../../shared/router.js").Visit} visit
 */
function checkout({ options, settings }, { signal }) {
  const quote = state(/** @type {Quote | null} */ (null));
  const failure = state(/** @type {unknown} */ (null));

  /** @param {string | undefined} region */
  async function price(region) {
    failure.set(null);
    try {
      quote.set(await withLocalizedProblem(call("POST /v1/cart/quote", { body: { region } }, { signal }), t));
    } catch (error) {
      if (signal.aborted) return;
      quote.set(null);
      failure.set(error);
    }
  }

  const known = settings.address;
  const region = regionField("shippingAddress.region", known?.region, { onchange: price });
  price(region.read());

  /** @param {any} values @param {{ key: string }} attempt */
  async function order({ shippingAddress, payment, remember }, { key }) {
    if (remember) await call("PUT /v1/payment-settings", { body: { ...settings, address: shippingAddress } });
    try {
      const body = { shippingAddress, payment };
      const placed = await withLocalizedProblem(
        call("POST /v1/cart/checkout", { body }, { key, version: cart.get()?.version }),
        t,
        paying,
      );
      await go(`/orders/${placed.id}`, { replace: true });
      loadCart().catch(() => {});
    } catch (error) {
      if (Problem.is(error, "price-changed", "cart-changed", "version-mismatch")) {
        await loadCart();
        await price(shippingAddress.region);
      }
      throw error;
    }
  }

  /** @type {(name: string, key: Parameters<typeof t>[0], value: string | undefined, autocomplete: string, isOptional?: boolean) => any} */
  const line = (name, key, value, autocomplete, isOptional) => ({
    name: `shippingAddress.${name}`,
    label: t(key),
    value,
    required: !isOptional,
    props: { autocomplete, maxlength: 100, ...(name === "phone" && { inputmode: "tel" }) },
  });
  return h(
    "div.columns",
    null,
    h(
      "section.card",
      null,
      h("h2", { class: "card-title" }, t("deliveryAndPayment")),
      form({
        fields: [
          line("name", "recipient", known?.name ?? settings.name, "name"),
          line("street", "street", known?.street, "street-address"),
          line("postalCode", "postalCode", known?.postalCode, "postal-code"),
          line("city", "city", known?.city, "address-level2"),
          region,
          line("phone", "phone", known?.phone, "tel", true),
          { name: "remember", label: t("rememberAddress"), kind: "checkbox", value: true },
          paymentField(options),
        ],
        submit: t("placeOrder"),
        onsubmit: order,
      }),
    ),
    h(
      "aside.card.stack.summary",
      { "aria-label": t("summary") },
      h("h2", null, t("yourOrder")),
      h("ul.summary-lines", { role: "list" }, () =>
        (quote.get()?.lines ?? []).map((it) =>
          h(
            "li.order-line",
            null,
            h("div.cart-picture.is-small", null, picture(it.image, { alt: "", sizes: "4rem" })),
            h("span.grow.small-text", null, t("timesTitle", { count: it.quantity, title: it.title })),
            h("span.number.small-text", null, money({ ...it.unitPrice, amount: it.unitPrice.amount * it.quantity })),
          )
        )),
      h("div", { "aria-live": "polite" }, () => {
        const current = quote.get();
        if (failure.get()) return h("p.form-failure", null, problemText(failure.get()));
        return current ? totals(current, { isShipped: true }) : h("p.row.soft", null, spinner(), t("pricing"));
      }),
    ),
  );
}
