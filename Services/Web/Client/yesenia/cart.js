// @ts-check
/** The cart of who visits the shop: a guest has one too, and brings it along when signing in. */
import { call, pause } from "../shared/api.js";
import { toast } from "../shared/components/toast.js";
import { go } from "../shared/router.js";
import { hasRole, signedIn, user } from "../shared/session.js";
import { computed, effect, state, untracked } from "../shared/view.js";
import { inWords } from "./problems.js";
import { t } from "./strings.js";

/** @import { Cart } from "../../Types/api.d.ts" */

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
  let guestsItems = 0;
  effect(() => {
    user.get();
    const expected = guestsItems;
    untracked(() => loadMovedCart(expected)).catch(() => {});
  });
  effect(() => {
    guestsItems = hasRole("guest") ? itemCount.get() : 0;
  });
}

/**
 * A guest's items arrive in the account's cart soon after the sign-in.
 * @param {number} expected how many the guest had
 */
async function loadMovedCart(expected) {
  for (let attempt = 0; attempt < 8; attempt++) {
    await loadCart();
    if (itemCount.get() >= expected || !user.get()) return;
    await pause(400);
  }
}

/** @param {{ productID: string, variantID?: string, quantity?: number }} item */
export async function addToCart(item) {
  if (!user.get()) signedIn(await call("POST /v1/auth/guest", { body: {} }));
  change(await inWords(call("POST /v1/cart/items", { body: item })));
  toast(t("added"), { kind: "success", action: { label: t("showCart"), run: () => go("/cart") } });
}

/**
 * @param {string} id
 * @param {number} quantity
 */
export async function setQuantity(id, quantity) {
  change(await inWords(call("PATCH /v1/cart/items/{id}", { id, body: { quantity } })));
}

/** @param {string} id */
export async function removeFromCart(id) {
  change(await call("DELETE /v1/cart/items/{id}", { id }));
}
