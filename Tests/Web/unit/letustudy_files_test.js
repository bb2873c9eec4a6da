// @ts-check
import assert from "node:assert/strict";
import "./document.js";
import { tableFile, textFile } from "../../../Services/Web/Client/letustudy/components/export.js";
import { parseText } from "../../../Services/Web/Client/letustudy/components/text-file.js";

/** @param {string} front @param {string} back */
const card = (front, back) => /** @type {any} */ ({ front, back, tags: ["a", "b"] });

Deno.test("a text has questions on odd lines and answers on even ones", () => {
  const { cards, skipped } = parseText("\uFEFFaqua\r\nwater\r\n\r\n\r\nignis\r\n\r\n  terra \nearth\nluna");
  assert.deepEqual(cards, [{ front: "aqua", back: "water" }, { front: "terra", back: "earth" }]);
  assert.deepEqual(skipped, [{ line: 5, reason: "no answer" }, { line: 9, reason: "no answer" }]);
});

Deno.test("what is exported as text is imported again", () => {
  const cards = [card("one\ntwo", " three "), card("水", "water")];
  assert.deepEqual(parseText(textFile(cards)).cards, [{ front: "one two", back: "three" }, {
    front: "水",
    back: "water",
  }]);
});

Deno.test("a table quotes what needs it", () => {
  assert.equal(tableFile([card('say "hi"', "a,b")]), 'front,back,tags\r\n"say ""hi""","a,b",a b\r\n');
});
