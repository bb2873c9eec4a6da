// @ts-check
/** Reads a text file of cards: questions on odd lines, answers on even ones. */

const LONGEST = 20_000;

/** @param {string} text */
export function parseText(text) {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  while (lines.length > 0 && !lines[lines.length - 1].trim()) lines.pop();
  /** @type {{ front: string, back: string }[]} */
  const cards = [];
  /** @type {{ line: number, reason: string }[]} */
  const skipped = [];
  for (let at = 0; at < lines.length; at += 2) {
    const [front, back] = [lines[at], lines[at + 1] ?? ""].map(clean);
    if (!front && !back) continue;
    if (!front || !back) skipped.push({ line: at + 1, reason: front ? "no answer" : "no question" });
    else if (front.length > LONGEST || back.length > LONGEST) skipped.push({ line: at + 1, reason: "too long" });
    else cards.push({ front, back });
  }
  return { cards, skipped };
}

/** @param {string} line */
// deno-lint-ignore no-control-regex
const clean = (line) => line.replace(/[\u0000-\u0008\u000A-\u001F\u007F-\u009F]/g, "").trim();
