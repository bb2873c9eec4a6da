// @ts-check
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { picture } from "../../shared/components/picture.js";
import { icon } from "../../shared/components/icon.js";
import { empty, problemText } from "../../shared/components/states.js";
import { announce, toast } from "../../shared/components/toast.js";
import { money } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { hasAccount } from "../../shared/session.js";
import { each, h, state } from "../../shared/view.js";
import { cart, itemCount, loadCart, removeFromCart, setQuantity } from "../cart.js";
import { t } from "../strings.js";

/** @import { CartItem, Product } from "../../../Types/api.d.ts" */

export const load = loadCart;

export default function cartScreen() {
  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h("h1", { tabindex: -1 }, t("cart")),
      () => itemCount.get() > 0 && h("p.soft", null, t("items", { count: itemCount.get() })),
    ),
    () =>
      itemCount.get() === 0
        ? empty({
          icon: "cart",
          title: t("cartEmpty"),
          message: t("cartEmptyHint"),
          action: h("a.button.primary", { href: link("/shop") }, t("shopNow")),
        })
        : null,
    h(
      "div.columns",
      { hidden: () => itemCount.get() === 0 },
      h(
        "ul.rows.cart-rows",
        { role: "list", "aria-label": t("cart") },
        each(() => cart.get()?.items ?? [], (it) => it.id, row),
      ),
      summary(),
    ),
  );
}

/** @param {import("../../shared/signals.js").State<CartItem>} item */
function row(item) {
  const { id, productID, variantID, title } = item.get();
  const product = state(/** @type {Product | null} */ (null));
  if (productID) call("GET /v1/products/{id}", { id: productID }).then((it) => product.set(it), () => {});
  const available = () => {
    const known = product.get();
    return (known?.variants.find((it) => it.id === variantID) ?? known)?.available ?? 20;
  };
  const change = async (/** @type {any} */ event) => {
    try {
      await setQuantity(id, Number(event.target.value));
    } catch (error) {
      event.target.value = String(item.get().quantity);
      toast(problemText(error), { kind: "error" });
    }
  };
  const most = () => Math.max(item.get().quantity, Math.min(20, available()));
  return h(
    "li",
    null,
    h(
      "div.cart-row",
      null,
      h("div.cart-picture", null, () => picture(product.get()?.images[0], { alt: "", sizes: "5rem" })),
      h(
        "div.cart-text",
        null,
        h("a.cart-title", { href: link(`/products/${productID}`) }, title),
        h("span.soft.small-text", null, () => money(item.get().price)),
      ),
      h(
        "label.quantity",
        null,
        h("span.visually-hidden", null, `${t("quantity")}: ${title}`),
        () =>
          h(
            "select.input",
            { onchange: change, value: String(item.get().quantity) },
            Array.from({ length: most() }, (_, index) => h("option", { value: index + 1 }, index + 1)),
          ),
      ),
      h("span.price.cart-price", null, () => {
        const { price, quantity } = item.get();
        return money({ ...price, amount: price.amount * quantity });
      }),
      actionButton({
        label: t("remove"),
        icon: "trash",
        class: "quiet small",
        props: { "aria-label": `${t("remove")}: ${title}` },
        run: async () => {
          await removeFromCart(id);
          // the button has gone with its row
          document.querySelector("h1")?.focus();
          announce(t("removed"));
        },
      }),
    ),
  );
}

const summary = () =>
  h(
    "aside.card.stack.summary",
    { "aria-label": t("summary") },
    h(
      "div.spread",
      null,
      h("h2", null, t("subtotal")),
      h("span.price.is-large", null, () => {
        const subtotal = cart.get()?.subtotal;
        return subtotal ? money(subtotal) : "";
      }),
    ),
    h("p.soft.small-text", null, t("taxAndShippingLater")),
    h("a.button.primary.wide", { href: link("/checkout") }, t("checkout"), icon("next")),
    () => !hasAccount() && h("p.soft.small-text", null, t("checkoutSignIn")),
    h("a.button.quiet.wide", { href: link("/shop") }, t("shopOn")),
  );
