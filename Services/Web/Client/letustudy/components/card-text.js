// @ts-check
/** Texts of cards have no control characters but line feeds and tabs. @param {string} value */
export const cleanText = (value) =>
  // deno-lint-ignore no-control-regex
  value.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, "").trim();
