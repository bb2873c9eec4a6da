// @ts-check
/** A field that uploads a file as soon as it is chosen, and shows how far it is. */
import { isOn } from "../features.js";
import { bytes, percent } from "../language.js";
import { text } from "../text.js";
import { mediaReady } from "../media.js";
import { upload } from "../upload.js";
import { h, onCleanUp, state } from "../view.js";
import { icon } from "./icon.js";
import { problemText } from "./states.js";

/** @import { UploadOptions } from "../upload.js" */

/**
 * A field of a form: `form({ fields: [uploadField({ name: "audio", label: …, kind: "audio", accept: "audio/*" })] })`. Its
 * value is the media item's id once it is ready.
 * @param {{ name: string, label: string, hint?: string, accept?: string, kind?: UploadOptions["kind"], required?: boolean,
 *   visibility?: UploadOptions["visibility"], value?: string, onready?: (media: string) => void }} options
 */
export function uploadField({ name, label, hint, accept, kind, required, visibility, value, onready }) {
  const media = state(value);
  const status = state(value ? text("uploaded") : "");
  const part = state(/** @type {number | null} */ (null));
  let controller = new AbortController();
  onCleanUp(() => controller.abort());

  /** @param {File | undefined} file */
  async function begin(file) {
    if (!file || !isOn("uploads")) return;
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    media.set(undefined);
    try {
      const onProgress = (/** @type {number} */ it) => {
        part.set(it);
        status.set(text("uploading", { percent: percent(it) }));
      };
      onProgress(0);
      const id = await upload(file, { kind, visibility, signal, onProgress });
      status.set(text("processing"));
      await mediaReady(id, signal);
      media.set(id);
      status.set(`${text("uploaded")}: ${file.name} (${bytes(file.size)})`);
      onready?.(id);
    } catch (error) {
      if (!signal.aborted) status.set(problemText(error));
    } finally {
      if (!signal.aborted) part.set(null);
    }
  }

  const check = () => part.get() === null ? "" : status.get();
  const input = h("input.visually-hidden", {
    type: "file",
    accept,
    "aria-label": label,
    disabled: () => !isOn("uploads"),
    onchange: () => begin(input.files?.[0]),
  });
  const element = h(
    "label.uploader",
    {
      ondragover: (/** @type {Event} */ event) => event.preventDefault(),
      ondrop: (/** @type {DragEvent} */ event) => {
        event.preventDefault();
        begin(event.dataTransfer?.files[0]);
      },
    },
    input,
    h("span.uploader-face", null, icon("upload"), () => text(isOn("uploads") ? "chooseFile" : "switchedOff")),
    () => part.get() !== null && h("progress", { max: 1, value: part, "aria-label": label }),
    h("span.hint", { role: "status" }, status),
  );
  return { name, label, hint, required, kind: "custom", element, read: () => media.get(), check };
}
