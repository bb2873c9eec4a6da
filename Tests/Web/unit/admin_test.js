// @ts-check
import "./document.js";
import "./locale.js";
import assert from "node:assert/strict";

const admin = "../../../Services/Web/Client/admin";
const { buckets, tally } = await import(`${admin}/components/chart.js`);
const { MEASURES, minutes } = await import(`${admin}/components/measurements.js`);
const { parseReference, shortID } = await import(`${admin}/components/references.js`);
const { refundable, refundBody } = await import(`${admin}/components/refund-form.js`);

Deno.test("times fall into equal parts of a span, and others are left out", () => {
  const counts = buckets([0, 9, 10, 39, 40, -1], { from: 0, until: 40, parts: 4 }).map((/** @type {any} */ it) =>
    it.count
  );
  assert.deepEqual(counts, [2, 1, 0, 1]);
});

Deno.test("samples become bars of minutes, and each measure is of those of its minute", () => {
  const sample = (/** @type {number} */ at, /** @type {object} */ values) => ({
    at: new Date(at).toISOString(),
    seconds: 15,
    requests: 30,
    errors: 0,
    ...values,
  });
  const until = 3_600_000;
  const samples = [
    sample(-1, { requests: 900 }),
    sample(60_000, { latency: 0.1 }),
    sample(75_000, { latency: 0.3, errors: 15, commit: 0.002 }),
    sample(until - 1, { requests: 60 }),
  ];
  const of = (/** @type {string} */ name) =>
    minutes(samples, MEASURES[name].of, until).map((/** @type {any} */ it) => it.count);
  assert.equal(of("rate").length, 60);
  assert.deepEqual(of("rate").slice(0, 3), [0, 2, 0]);
  assert.equal(of("rate")[59], 4);
  assert.equal(of("errors")[1], 0.25);
  assert.equal(of("latency")[1], 0.3);
  assert.equal(of("queue")[1], 0);
  assert.equal(of("commit")[1], 0.002);
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
