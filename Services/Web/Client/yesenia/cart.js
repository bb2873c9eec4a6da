// @ts-check
/** The cart of who visits the shop: a guest has one too, and brings it along when signing in. */
import { call, pause } from "../shared/api.js";
import { toast } from "../shared/components/toast.js";
import { withLocalizedProblem } from "../shared/problems.js";
import { go } from "../shared/router.js";
import { hasRole, signedIn, user } from "../shared/session.js";
import { computed, effect, state, untracked } from "../shared/view.js";
import { t } from "./strings.js";

/** @import { Cart, CartItem } from "../../Types/api.d.ts" */

/** `null` while there is no one to have one. */
export const cart = state(/** @type {Cart | null} */ (null));

export const itemCount = computed(() => cart.get()?.items.reduce((sum, it) => sum + it.quantity, 0) ?? 0);

/** How often it was changed here: an answer from before a change is old. */
let changes = 0;

/** @param {Cart} changed */
function change(changed) {
  changes++;
  cart.set(changed);
}

export async function loadCart() {
  const [person, known] = [user.get(), changes];
  const loaded = person && await call("GET /v1/cart");
  if (user.get() === person && changes === known) cart.set(loaded);
  return cart.get();
}

/** Loads the cart whenever someone else is signed in. */
export function followUser() {
  let guestsItems = /** @type {CartItem[]} */ ([]);
  effect(() => {
    user.get();
    const moving = guestsItems;
    untracked(() => loadMovedCart(moving)).catch(() => {});
  });
  effect(() => {
    guestsItems = hasRole("guest") ? cart.get()?.items ?? [] : [];
  });
}

/**
 * A guest's items arrive in the account's cart soon after the sign-in. The account may have items of its own, so their number
 * does not show it.
 * @param {CartItem[]} moving
 */
async function loadMovedCart(moving) {
  const person = user.get()?.id;
  for (let wait = 300; wait < 10_000; wait *= 1.5) {
    await loadCart();
    if (!person || user.get()?.id !== person || moving.every(isInCart)) return;
    await pause(wait);
  }
}

/** @param {CartItem} item */
const isInCart = ({ productID, variantID }) =>
  cart.get()?.items.some((it) => it.productID === productID && it.variantID === variantID);

/** @param {{ productID: string, variantID?: string, quantity?: number }} item */
export async function addToCart(item) {
  if (!user.get()) signedIn(await call("POST /v1/auth/guest", { body: {} }));
  change(await withLocalizedProblem(call("POST /v1/cart/items", { body: item }), t));
  toast(t("added"), { kind: "success", action: { label: t("showCart"), run: () => go("/cart") } });
}

/**
 * @param {string} id
 * @param {number} quantity
 */
export async function setQuantity(id, quantity) {
  change(await withLocalizedProblem(call("PATCH /v1/cart/items/{id}", { id, body: { quantity } }), t));
}

/** @param {string} id */
export async function removeFromCart(id) {
  change(await call("DELETE /v1/cart/items/{id}", { id }));
}
