// @ts-check
import { call } from "../../shared/api.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { empty } from "../../shared/components/states.js";
import { money } from "../../shared/language.js";
import { paymentField, paymentOptions } from "../../shared/payment/cards.js";
import { t as paying } from "../../shared/payment/strings.js";
import { totals } from "../../shared/payment/totals.js";
import { withLocalizedProblem } from "../../shared/problems.js";
import { go, link, refresh } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { countCart, inCart } from "../components/counts.js";
import { cover, licenseName } from "../components/listings.js";
import { countryField } from "../components/country-field.js";
import { t } from "../screen-strings.js";

/** @import { Cart, CartItem, Quote } from "../../../Types/api.d.ts" */
/** @import { PaymentOption } from "../../shared/payment/cards.js" */
/** @typedef {{ cart: Cart, quote: Quote | null, options: PaymentOption[] }} Loaded */

/** @param {import("../../shared/router.js").Visit} visit @returns {Promise<Loaded>} */
export async function load({ signal }) {
  const [cart, options] = await Promise.all([call("GET /v1/cart", {}, { signal }), paymentOptions(signal)]);
  const quote = cart.items.length > 0 ? await call("POST /v1/cart/quote", { body: {} }, { signal }) : null;
  return { cart, quote, options };
}

/** The cart and the checkout. @param {Loaded} loaded */
export default function cartScreen({ cart, quote, options }) {
  inCart.set(cart.items.length);
  if (!quote) {
    return h(
      "div.stack.prose",
      null,
      h("h1", null, t("cart")),
      empty({
        icon: "cart",
        title: t("cartEmpty"),
        message: t("cartEmptyHint"),
        action: h("a.button.primary", { href: link("/") }, icon("music"), t("findBeats")),
      }),
    );
  }
  const isFree = quote.total.amount === 0;
  const checkOut = async (/** @type {any} */ body, /** @type {{ key: string }} */ { key }) => {
    const placed = call("POST /v1/cart/checkout", { body }, { key, version: cart.version });
    const order = await withLocalizedProblem(placed, t, paying);
    countCart();
    await go(`/orders/${order.id}`, { replace: true });
  };
  return h(
    "div.stack",
    null,
    h("h1", null, t("cart")),
    h(
      "div.columns",
      null,
      h("ul.rows", { role: "list", "aria-label": t("cart") }, cart.items.map((it) => h("li", null, item(it, quote)))),
      h(
        "section.card.stack",
        { "aria-labelledby": "checkout" },
        h("h2", { id: "checkout" }, t("checkout")),
        quote.changes.map(({ before, now }) =>
          h("p.notice", { role: "status" }, t("priceChanged", { before: money(before), now: money(now) }))
        ),
        totals(quote),
        form({
          fields: isFree ? [] : [countryField(), paymentField(options)],
          submit: isFree ? t("getFree") : paying("pay", { amount: money(quote.total) }),
          onsubmit: checkOut,
        }),
        !isFree && h("p.soft.small-text.with-icon", null, icon("lock"), t("sandboxHint")),
      ),
    ),
  );
}

/**
 * @param {CartItem} item
 * @param {Quote} quote
 */
function item({ id, listingID, license, title, price }, { lines }) {
  const image = lines.find((it) => it.listingID === listingID)?.image;
  const remove = async () => {
    inCart.set((await call("DELETE /v1/cart/items/{id}", { id })).items.length);
    await refresh();
  };
  return h(
    "div.cart-item",
    null,
    cover(image, { sizes: "64px", class: "thumb" }),
    h(
      "span.grow",
      null,
      h("strong", null, listingID ? h("a", { href: link(`/listings/${listingID}`) }, title) : title),
      h("br"),
      license && h("span.soft.small-text", null, licenseName(license)),
    ),
    h("span.number", null, money(price)),
    actionButton({
      label: "",
      icon: "trash",
      class: "quiet icon-only",
      run: remove,
      props: { "aria-label": t("removeFromCart", { name: title }) },
    }),
  );
}
