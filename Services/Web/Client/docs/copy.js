// @ts-check
/** Buttons that copy the commands of the examples. */

import { element } from "./element.js";

/** Where browsers let pages write to the clipboard: by HTTPS, and on this machine. */
export function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const command of document.querySelectorAll("pre.request")) {
    const button = element("button", { type: "button", className: "copy", textContent: "Copy" });
    const said = element("span", { className: "said" });
    said.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(command.textContent ?? "");
      said.textContent = "Copied";
      setTimeout(() => said.textContent = "", 2000);
    });
    command.before(button, said);
  }
}
