// @ts-check
/** Where a message is written: Enter sends it, with Shift it begins a line. */
import { icon } from "../components/icon.js";
import { problemText } from "../components/states.js";
import { toast } from "../components/toast.js";
import { h } from "../view.js";
import { t } from "./strings.js";

/** @param {{ send: (text: string) => Promise<void>, onTyping: () => void, label: string }} options */
export function composer({ send, onTyping, label }) {
  const field = h("textarea.input.composer-field", {
    rows: 1,
    maxlength: 5000,
    "aria-label": label,
    placeholder: label,
    oninput: () => field.value.trim() && onTyping(),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      submit();
    },
  });

  async function submit() {
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    field.focus();
    await send(text).catch((error) => toast(problemText(error), { kind: "error" }));
  }

  return h(
    "form.composer",
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        submit();
      },
    },
    field,
    h("button.button.primary.icon-only", { type: "submit", "aria-label": t("send") }, icon("send")),
  );
}
