// @ts-check
/** Dialogs: modal, closed by Escape, with the focus back where it was. */
import { text } from "../text.js";
import { h, mount } from "../view.js";
import { uniqueID } from "./dom.js";
import { icon } from "./icon.js";

/**
 * Opens a dialog and returns what it is closed with; `undefined` if it is dismissed.
 * @template T
 * @param {{ title: string, build: (close: (result?: T) => void) => Node, size?: "small" | "large" }} options
 * @returns {Promise<T | undefined>}
 */
export function openDialog({ title, build, size = "small" }) {
  return new Promise((resolve) => {
    /** @type {T | undefined} */
    let result;
    const id = uniqueID("dialog");
    const body = h("div.dialog-body");
    const close = (/** @type {T | undefined} */ value) => {
      result = value;
      dialog.close();
    };
    const dialog = h(
      "dialog.dialog",
      { class: `is-${size}`, "aria-labelledby": id, onclick: dismiss },
      h(
        "header.dialog-header",
        null,
        h("h2", { id }, title),
        h("button.button.quiet.icon-only", {
          type: "button",
          "aria-label": text("close"),
          onclick: () => close(undefined),
        }, icon("close")),
      ),
      body,
    );
    /** @param {MouseEvent} event */
    function dismiss(event) {
      if (event.target === dialog) close(undefined);
    }
    const unmount = mount(body, () => build(close));
    dialog.addEventListener("close", () => {
      unmount();
      dialog.remove();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
    const first = dialog.querySelector("[data-focus]") ??
      body.querySelector("input, select, textarea, button.primary, button, a[href]");
    if (first instanceof HTMLElement) first.focus();
  });
}

/**
 * Asks a question that is answered with yes or no.
 * @param {{ title: string, message?: string, confirm: string, isDangerous?: boolean }} question
 * @returns {Promise<boolean>}
 */
export async function confirmDialog({ title, message, confirm, isDangerous }) {
  const answer = await openDialog({
    title,
    build: (close) =>
      h(
        "div.stack",
        null,
        message && h("p", null, message),
        h(
          "div.form-actions",
          null,
          h("button.button.quiet", {
            type: "button",
            "data-focus": isDangerous,
            onclick: () => close(false),
          }, text("cancel")),
          h("button.button.primary", {
            type: "button",
            class: isDangerous && "dangerous",
            "data-focus": !isDangerous,
            onclick: () => close(true),
          }, confirm),
        ),
      ),
  });
  return answer === true;
}
