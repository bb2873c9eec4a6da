// @ts-check
/** The try-outs: a form for each operation, made when it is asked for, and the answer of the platform. */

import { buildRequest } from "./request.js";
import { element } from "./element.js";
import { showAnswer } from "./answer.js";

/** Of the reader, for all try-outs of the page; never stored. */
let token = "";

/** Adds a button to each operation. */
export function addTryOuts() {
  for (const operation of document.querySelectorAll("section.operation")) {
    if (!(operation instanceof HTMLElement)) continue;
    const frame = element("div", { className: "try" });
    const open = element("button", { type: "button", textContent: "Try it" });
    open.addEventListener("click", () => {
      const form = makeForm(operation);
      frame.replaceChildren(form);
      form.querySelector("input")?.focus();
    });
    frame.append(open);
    operation.querySelector(".examples")?.append(frame);
  }
}

/** @param {HTMLElement} operation */
function makeForm(operation) {
  const form = element("form", { noValidate: true });
  if (!operation.querySelector(".needs li")?.textContent?.startsWith("No token")) {
    const field = element("input", { type: "password", autocomplete: "off", value: token });
    field.addEventListener("input", () => token = field.value.trim());
    form.append(labeled("Access token, kept until you leave this page", field));
  }
  for (const parameter of operation.querySelectorAll("[data-in]")) {
    if (!(parameter instanceof HTMLElement)) continue;
    const { name = "", in: location = "", example = "", required } = parameter.dataset;
    const field = element("input", { name, spellcheck: false, placeholder: example });
    Object.assign(field.dataset, { in: location });
    field.value = required === undefined ? "" : name === "Idempotency-Key" ? crypto.randomUUID() : example;
    form.append(labeled(`${name} (${location}${required === undefined ? "" : ", required"})`, field));
  }
  form.append(...bodyField(operation));

  const send = element("button", { className: "primary", textContent: "Send" });
  const stop = element("button", { type: "button", textContent: "Stop", hidden: true });
  const output = element("output", {});
  form.append(element("div", { className: "actions" }, send, stop), output);

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!stop.hidden) return;
    const controller = new AbortController();
    stop.onclick = () => controller.abort();
    stop.hidden = false;
    send.setAttribute("aria-disabled", "true");
    try {
      const { method = "GET", path = "/" } = operation.dataset;
      const request = buildRequest(method, path, valuesOf(form), token);
      await showAnswer(output, request.target, { ...request.init, signal: controller.signal });
    } finally {
      stop.hidden = true;
      send.removeAttribute("aria-disabled");
    }
  });
  return form;
}

/** Text for JSON and other texts, a file for what has any type. @param {HTMLElement} operation */
function bodyField(operation) {
  const body = operation.querySelector("[data-body]");
  if (!(body instanceof HTMLElement)) return [];
  const { body: type = "", example = "" } = body.dataset;
  const isText = /json|text|form/.test(type);
  const field = isText
    ? element("textarea", { name: "body", value: example, spellcheck: false })
    : element("input", { name: "body", type: "file" });
  Object.assign(field.dataset, { in: "body", type });
  return [labeled("Body", field)];
}

/** @param {HTMLFormElement} form @returns {import("./request.js").Value[]} */
function valuesOf(form) {
  return [...form.elements].flatMap((field) => {
    const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
    if (!isField || field.dataset.in === undefined) return [];
    const file = field instanceof HTMLInputElement ? field.files?.[0] : undefined;
    return [{ name: field.name, in: field.dataset.in, value: file ?? field.value, type: field.dataset.type }];
  });
}

/** @param {string} text @param {HTMLElement} field */
function labeled(text, field) {
  return element("label", {}, text, field);
}
