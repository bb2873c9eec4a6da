// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { json, withGateway } from "./gateway.js";
import { pause } from "../../../Services/Web/Client/shared/api.js";
import { signedIn, user } from "../../../Services/Web/Client/shared/session.js";
import { flush } from "../../../Services/Web/Client/shared/signals.js";
import { cart, followUser, itemCount } from "../../../Services/Web/Client/yesenia/cart.js";
import { keepUnchanged, nextStep } from "../../../Services/Web/Client/yesenia/owner/steps.js";
import { orderNumber } from "../../../Services/Web/Client/yesenia/components/number.js";

Deno.test("an order is called by the end of its id", () => {
  assert.equal(orderNumber({ id: "01a20a1d-ac6c-738e-8da6-1499da9e29e9" }), "DA9E-29E9");
});

Deno.test("orders move one step at a time, once they are placed and until they are delivered", () => {
  assert.equal(nextStep({ status: "placed", fulfillmentStatus: "processing" }), "processed");
  assert.equal(nextStep({ status: "placed", fulfillmentStatus: "processed" }), "shipped");
  assert.equal(nextStep({ status: "placed", fulfillmentStatus: "shipped" }), "delivered");
  assert.equal(nextStep({ status: "placed", fulfillmentStatus: "delivered" }), undefined);
  assert.equal(nextStep({ status: "pendingPayment" }), undefined);
  assert.equal(nextStep({ status: "canceled", fulfillmentStatus: "processing" }), undefined);
});

Deno.test("cards of orders stay as they are while their orders have not changed", () => {
  const [one, two] = [{ id: "1", version: 1 }, { id: "2", version: 1 }];
  const kept = keepUnchanged([one, two], [{ id: "3", version: 1 }, { id: "2", version: 2 }, { id: "1", version: 1 }]);
  assert.deepEqual(kept.map((it) => [it.id, it.version]), [["3", 1], ["2", 2], ["1", 1]]);
  assert.equal(kept[2], one);
});

/** @param {number} count of items in the cart, within three seconds */
async function has(count) {
  for (let turn = 0; turn < 300 && itemCount.get() !== count; turn++) await pause(10);
  assert.equal(itemCount.get(), count);
}

Deno.test("a guest's items are waited for, also by an account that has others", async () => {
  const [wreath, candle] = ["wreath", "candle"].map((productID) => ({ id: productID, productID, quantity: 1 }));
  const answers = [[candle], [wreath], [wreath, candle]];
  await withGateway(() => json({ items: answers.shift() }), async (asked) => {
    signedIn(/** @type {any} */ ({ user: { id: "guest", roles: ["guest"] } }));
    followUser();
    await has(1);
    flush();
    signedIn(/** @type {any} */ ({ user: { id: "ada", roles: ["user"] } }));
    await has(2);
    assert.equal(asked.length, 3);
  });
});

Deno.test("nothing is waited for when a guest signs out", async () => {
  const wreath = { id: "wreath", productID: "wreath", quantity: 1 };
  await withGateway(() => json({ items: [wreath] }), async () => {
    signedIn(/** @type {any} */ ({ user: { id: "guest", roles: ["guest"] } }));
    followUser();
    await has(1);
    flush();
    user.set(null);
    await has(0);
    const later = /** @type {any} */ ({ items: [] });
    cart.set(later);
    await pause(400);
    assert.equal(cart.get(), later);
  });
});
