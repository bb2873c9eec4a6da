// @ts-check
/** Where a message is written: Enter sends it, with Shift it begins a line. */
import { attempt } from "../components/attempt.js";
import { icon } from "../components/icon.js";
import { h } from "../view.js";
import { t } from "./strings.js";

/** @import { ChatRoom } from "./room.js" */

/** @param {{ send: ChatRoom["send"], onTyping: () => void, label: string, tools?: Node }} options */
export function composer({ send, onTyping, label, tools }) {
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
    await attempt(() => send({ text }));
  }

  return h(
    "form.composer",
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        submit();
      },
    },
    tools,
    field,
    h("button.button.primary.icon-only", { type: "submit", "aria-label": t("send") }, icon("send")),
  );
}
