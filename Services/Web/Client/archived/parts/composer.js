// @ts-check
/** Where a message is written: Enter sends it, Shift and Enter begin a new line. */
import { icon } from "../../shared/components/icon.js";
import { problemText } from "../../shared/components/states.js";
import { isOn } from "../../shared/features.js";
import { mediaReady } from "../../shared/media.js";
import { upload } from "../../shared/upload.js";
import { h, onCleanUp, state } from "../../shared/view.js";
import { t } from "../more-strings.js";

/** @param {import("./talk.js").Talk} talk */
export function composer({ send, typing }) {
  const failure = state("");
  const isBusy = state(false);
  const controller = new AbortController();
  onCleanUp(() => controller.abort());
  let attempt = { text: "", id: "" };

  /** @param {() => Promise<void>} run */
  const guarded = async (run) => {
    if (isBusy.get()) return;
    failure.set("");
    isBusy.set(true);
    try {
      await run();
    } catch (error) {
      if (!controller.signal.aborted) failure.set(problemText(error));
    } finally {
      isBusy.set(false);
    }
  };
  const sendText = () =>
    guarded(async () => {
      const text = input.value.trim();
      if (!text) return;
      if (attempt.text !== text) attempt = { text, id: crypto.randomUUID() };
      await send({ text }, attempt.id);
      attempt = { text: "", id: "" };
      input.value = "";
      input.focus();
    });
  const sendPicture = () =>
    guarded(async () => {
      const file = picker.files?.[0];
      if (!file) return;
      const media = await upload(file, { kind: "image", signal: controller.signal });
      await mediaReady(media, controller.signal);
      await send({ media: [media] }, crypto.randomUUID());
      picker.value = "";
    });

  const input = h("textarea.input", {
    rows: 1,
    maxlength: 4000,
    "aria-label": t("writeMessage"),
    placeholder: t("writeMessage"),
    oninput: typing,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      sendText();
    },
  });
  const picker = h("input.visually-hidden", {
    type: "file",
    accept: "image/*",
    tabindex: -1,
    "aria-label": t("sendPicture"),
    onchange: sendPicture,
  });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    sendText();
  };
  return h(
    "form.composer",
    { onsubmit: submit },
    h("p.field-error", { role: "alert", hidden: () => !failure.get() }, failure),
    h(
      "div.composer-line",
      null,
      picker,
      () =>
        isOn("uploads") &&
        h("button.button.quiet.icon-only", {
          type: "button",
          "aria-label": t("sendPicture"),
          onclick: () => picker.click(),
        }, icon("image")),
      input,
      h("button.button.primary.icon-only", {
        type: "submit",
        "aria-label": t("send"),
        "aria-busy": () => String(isBusy.get()),
      }, icon("send")),
    ),
  );
}
