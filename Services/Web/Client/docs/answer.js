// @ts-check
/** Sends requests and shows what is answered, while it arrives. */

import { element } from "./element.js";

/** More is not shown. */
const maxLength = 200_000;

/**
 * @param {HTMLElement} output
 * @param {string} target
 * @param {RequestInit} init
 */
export async function showAnswer(output, target, init) {
  const status = element("p", { className: "note", textContent: "Sending…" });
  const body = element("code", {});
  output.replaceChildren(status);
  const start = performance.now();
  try {
    const response = await fetch(target, init);
    status.textContent = describe(response, performance.now() - start);
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\n`).join("");
    const list = element("details", {}, element("summary", { textContent: "Header fields" }), pre(headers));
    output.append(list);
    const type = response.headers.get("content-type") ?? "";
    if (!/json|text|xml/.test(type)) {
      const { size } = await response.blob();
      if (size > 0) output.append(element("p", { textContent: `${size} bytes of ${type || "an unknown type"}` }));
      return;
    }
    output.append(element("pre", { tabIndex: 0 }, body));
    await read(response, body);
    if (type.includes("json")) body.textContent = indented(body.textContent ?? "");
    if (type.startsWith("application/problem+json")) {
      output.append(explanation(JSON.parse(body.textContent ?? "").type));
    }
  } catch (error) {
    const isStopped = error instanceof DOMException && error.name === "AbortError";
    status.textContent = isStopped ? "Stopped." : `No answer: ${error instanceof Error ? error.message : error}`;
  }
}

/** @param {Response} response @param {number} milliseconds */
function describe(response, milliseconds) {
  if (response.type === "opaqueredirect") return "A redirect, which is not followed here.";
  return `${response.status} ${response.statusText} after ${Math.round(milliseconds)} ms`;
}

/** Shows a body as it arrives, which for a stream of events does not end. @param {Response} response @param {HTMLElement} code */
async function read(response, code) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let length = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    length += value.length;
    code.append(value);
    if (length > maxLength) {
      code.append("\n… more is not shown.");
      return reader.cancel();
    }
  }
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** @param {string} address The `type` of a problem, which is a page. */
function explanation(address) {
  return element("p", {}, element("a", { href: address, textContent: "What this problem means" }));
}

/** @param {string} text */
function pre(text) {
  return element("pre", { tabIndex: 0 }, element("code", { textContent: text }));
}
