// @ts-check
import { attempt } from "../components/attempt.js";
import { icon } from "../components/icon.js";
import { isOn } from "../features.js";
import { mediaReady } from "../media.js";
import { upload } from "../upload.js";
import { h, onCleanUp, state } from "../view.js";
import { t } from "./strings.js";

/** Sends a picture, once it is uploaded and processed. @param {import("./room.js").ChatRoom["send"]} send */
export function pictureButton(send) {
  const isBusy = state(false);
  const controller = new AbortController();
  const { signal } = controller;
  onCleanUp(() => controller.abort());
  const picker = h("input", { type: "file", accept: "image/*", hidden: true, onchange: sendChosen });

  async function sendChosen() {
    const file = picker.files?.[0];
    if (!file || isBusy.get()) return;
    isBusy.set(true);
    await attempt(async () => {
      const medium = await upload(file, { kind: "image", signal });
      await mediaReady(medium, signal);
      await send({ media: [medium] });
    });
    picker.value = "";
    isBusy.set(false);
  }
  return h(
    "span",
    { hidden: () => !isOn("uploads") },
    picker,
    h("button.button.quiet.icon-only", {
      type: "button",
      "aria-label": t("sendPicture"),
      "aria-busy": () => String(isBusy.get()),
      onclick: () => picker.click(),
    }, icon("image")),
  );
}
