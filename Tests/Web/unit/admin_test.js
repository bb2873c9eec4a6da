// @ts-check
import "./document.js";
import "./locale.js";
import assert from "node:assert/strict";

const admin = "../../../Services/Web/Client/admin";
const { buckets, tally } = await import(`${admin}/components/chart.js`);
const { parseReference, shortID } = await import(`${admin}/components/references.js`);
const { refundable, refundBody } = await import(`${admin}/components/refund-form.js`);

Deno.test("times fall into equal parts of a span, and others are left out", () => {
  const counts = buckets([0, 9, 10, 39, 40, -1], { from: 0, until: 40, parts: 4 }).map((/** @type {any} */ it) =>
    it.count
  );
  assert.deepEqual(counts, [2, 1, 0, 1]);
});

Deno.test("the most frequent value is the first, and equal ones are sorted", () => {
  assert.deepEqual(tally(["b", "a", "c", "b"]), [["b", 2], ["a", 1], ["c", 1]]);
});

Deno.test("a reference of the audit trail has a kind and perhaps an id", () => {
  const id = "01890a5d-ac96-774b-bcce-b302099a8057";
  assert.deepEqual(parseReference(`user:${id}`), { kind: "user", id });
  assert.deepEqual(parseReference("audit"), { kind: "audit", id: "" });
  assert.equal(shortID(id), "099A8057");
  assert.equal(shortID("wreaths"), "wreaths");
});

Deno.test("a refund is of everything, of a line, or of an amount", () => {
  const common = { toCredit: false, restock: true, reason: "Broken" };
  assert.deepEqual(refundBody({ what: "all", ...common }), { toCredit: false, restock: true, reason: "Broken" });
  assert.deepEqual(refundBody({ what: "2", ...common }).lines, [{ position: 2 }]);
  const amount = { amount: 1000, currency: "USD" };
  assert.deepEqual(refundBody({ what: "amount", amount, ...common }), { amount, toCredit: false, reason: "Broken" });
});

Deno.test("what is on its way back cannot be refunded again", () => {
  const usd = (/** @type {number} */ amount) => ({ amount, currency: "USD" });
  assert.deepEqual(refundable({ total: usd(5400), refunded: usd(1000), refundPending: usd(400) }), usd(4000));
});
