// @ts-check
/** Short notices, and what screen readers say without a change of focus. */
import { h } from "../view.js";
import { icon } from "./icon.js";

/** @type {HTMLElement | undefined} */
let region;
/** @type {HTMLElement | undefined} */
let notices;

function ensure() {
  if (region?.isConnected) return;
  region = h("div.visually-hidden", { role: "status", "aria-live": "polite" });
  notices = h("div.toasts", { "aria-live": "polite" });
  document.body.append(region, notices);
}

/** Lets screen readers say a text. @param {string} message */
export function announce(message) {
  ensure();
  if (!region) return;
  region.textContent = "";
  // a text that changes within a task is not read
  setTimeout(() => region && (region.textContent = message), 50);
}

/**
 * Shows a notice for some seconds, longer while the pointer or the focus is on it.
 * @param {string} message
 * @param {{ kind?: "info" | "success" | "error", action?: { label: string, run: () => void } }} [options]
 */
export function toast(message, { kind = "info", action } = {}) {
  ensure();
  const hide = () => element.remove();
  const element = h(
    "div.toast",
    {
      class: `is-${kind}`,
      onpointerenter: () => clearTimeout(timer),
      onfocusin: () => clearTimeout(timer),
      onpointerleave: later,
    },
    icon(kind === "success" ? "check" : kind),
    h("p", null, message),
    action && h("button.button.quiet.small", {
      type: "button",
      onclick: () => {
        hide();
        action.run();
      },
    }, action.label),
  );
  let timer = setTimeout(hide, 6000);
  function later() {
    clearTimeout(timer);
    timer = setTimeout(hide, 3000);
  }
  // the open dialog is on top of everything else
  const dialog = document.querySelector("dialog[open]");
  (dialog ?? notices)?.append(element);
}
