// @ts-check
/** Files of a set that are made on this device, so that they can be made without a connection. */
import { h } from "../../shared/view.js";

/** @import { Card, StudySet } from "../study/model.js" */

/** Questions on odd lines and answers on even ones, as the import reads them. @param {Card[]} cards */
export const textFile = (cards) => cards.map((it) => `${oneLine(it.front)}\n${oneLine(it.back)}\n`).join("");

/** RFC 4180, with a line of names. @param {Card[]} cards */
export const tableFile = (cards) =>
  [["front", "back", "tags"], ...cards.map((it) => [it.front, it.back, it.tags.join(" ")])]
    .map((row) => `${row.map(quoted).join(",")}\r\n`).join("");

/** @param {string} text */
const oneLine = (text) => text.replace(/\s*\n\s*/g, " ").trim();

/** @param {string} text */
const quoted = (text) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** @param {StudySet} set @param {Card[]} cards @param {"txt" | "csv"} format */
export function exportFile(set, cards, format) {
  const [content, type] = format === "txt" ? [textFile(cards), "text/plain"] : [tableFile(cards), "text/csv"];
  const href = URL.createObjectURL(new Blob([content], { type }));
  const name = set.title.replace(/[^\p{L}\p{N} _-]/gu, "").trim() || "cards";
  h("a", { href, download: `${name}.${format}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
