// @ts-check
import assert from "node:assert/strict";
import { keepUnchanged, nextStep } from "../../../Services/Web/Client/yesenia/owner/steps.js";
import { orderNumber } from "../../../Services/Web/Client/yesenia/parts/number.js";

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
