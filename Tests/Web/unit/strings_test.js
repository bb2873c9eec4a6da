// @ts-check
import "./locale.js";
import assert from "node:assert/strict";
import { accented, mirrored } from "../../../Services/Web/Client/shared/pseudo.js";
import { Problem } from "../../../Services/Web/Client/shared/api.js";
import { withLocalizedProblem } from "../../../Services/Web/Client/shared/problems.js";
import { loadStrings } from "../../../Services/Web/Client/shared/strings.js";
import * as language from "../../../Services/Web/Client/shared/language.js";

const modules = {
  en: () =>
    Promise.resolve({ default: { hello: "Hello {name}", likes: { one: "{count} like", other: "{count} likes" } } }),
  de: () =>
    Promise.resolve({ default: { hello: "Hallo {name}", likes: { one: "{count} Herz", other: "{count} Herzen" } } }),
};

Deno.test("texts have parameters and plural forms", async () => {
  const t = await loadStrings(modules, "en");
  assert.equal(t("hello", { name: "Ada" }), "Hello Ada");
  assert.equal(t("likes", { count: 1 }), "1 like");
  assert.equal(t("likes", { count: 1200 }), "1,200 likes");
});

Deno.test("the German texts are used for German", async () => {
  const t = await loadStrings(modules, "de");
  assert.equal(t("hello", { name: "Ada" }), "Hallo Ada");
});

Deno.test("a text without its parameter, or without an entry, is an error", async () => {
  const t = await loadStrings(modules, "en");
  assert.throws(() => t("hello"), /needs name/);
  assert.throws(() => t(/** @type {any} */ ("absent")), /absent/);
});

Deno.test("a problem says why in the words of the first texts that have some", async () => {
  const texts = (/** @type {string} */ word) =>
    loadStrings({
      en: () => Promise.resolve({ default: { [`problem-${word}`]: `words about ${word}` } }),
      de: () => Promise.reject(),
    }, "en");
  const [full, empty] = [await texts("cart-full"), await texts("cart-empty")];
  const detail = (/** @type {string} */ code) =>
    withLocalizedProblem(Promise.reject(new Problem({ status: 409, code, title: "No", detail: "why" })), full, empty)
      .catch((error) => error.detail);
  assert.deepEqual(await Promise.all(["cart-full", "cart-empty", "other"].map(detail)), [
    "words about cart-full",
    "words about cart-empty",
    "why",
  ]);
  assert.equal(await withLocalizedProblem(Promise.resolve(1), full), 1);
  await assert.rejects(withLocalizedProblem(Promise.reject(new TypeError("a bug")), full), TypeError);
});

Deno.test("the pseudo-locales change the text but not the parameters", async () => {
  assert.equal((await loadStrings(modules, "en-XA"))("hello", { name: "Ada" }).includes("Ada"), true);
  assert.equal(accented("Ok {name}").startsWith("[Óķ {name}"), true);
  assert.equal(mirrored("Ok {name}"), "\u202EOk \u202C{name}");
});

Deno.test("money has the minor units of its currency", () => {
  assert.match(language.money({ amount: 123456, currency: "USD" }), /1,234\.56/);
  assert.match(language.money({ amount: 1234, currency: "JPY" }), /1,234$/);
  assert.match(language.money({ amount: 1234, currency: "KWD" }), /1\.234/);
});

Deno.test("typed amounts are read exactly, others refused", () => {
  const read = (/** @type {string} */ text) => language.parseMoney(text, "USD")?.amount;
  assert.equal(read("1,234.50"), 123450);
  assert.equal(read("19.99"), 1999);
  assert.equal(read("0.29"), 29);
  assert.equal(read("12"), 1200);
  for (const text of ["", "-1", "1.234", "abc", "1e3"]) assert.equal(read(text), undefined, text);
  assert.equal(language.parseMoney("500", "JPY")?.amount, 500);
  assert.equal(language.moneyText({ amount: 123450, currency: "USD" }), "1234.50");
});

Deno.test("times are written as words and as clocks", () => {
  const now = Date.UTC(2026, 0, 10);
  assert.equal(language.relative(now - 3 * 3_600_000, now), "3 hours ago");
  assert.equal(language.relative(now + 86_400_000, now), "tomorrow");
  assert.equal(language.relative(now, now), "now");
  assert.equal(language.clockTime(65_000), "1:05");
  assert.equal(language.clockTime(3_723_000), "1:02:03");
  assert.equal(language.bytes(2_500_000), "2.5 MB");
});
