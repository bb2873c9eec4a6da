// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { problemText } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { offered } from "../../shared/features.js";
import { bytes, percent } from "../../shared/language.js";
import { askBeforeLeaving, go, link } from "../../shared/router.js";
import { upload } from "../../shared/upload.js";
import { h, onCleanUp, state } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { videoDetails, videoFields } from "../components/video-details.js";
import { loadWords } from "../words.js";

export const load = loadWords;

/** The file is on its way while its title and the rest are written. */
export default function uploadScreen() {
  const file = state(/** @type {File | null} */ (null));
  const part = state(0);
  const failure = state("");
  /** @type {Promise<string> | undefined} the media item's id */
  let sending;
  let isDone = false;
  let controller = new AbortController();
  onCleanUp(() => controller.abort());
  onCleanUp(askBeforeLeaving(() => file.get() && !isDone && t("leaveUpload")));

  /** @param {File | undefined} chosen */
  function begin(chosen) {
    if (!chosen) return;
    controller.abort();
    controller = new AbortController();
    part.set(0);
    failure.set("");
    file.set(chosen);
    const { signal } = controller;
    sending = upload(chosen, { kind: "video", signal, onProgress: (it) => part.set(it) });
    sending.catch((error) => {
      if (signal.aborted) return;
      failure.set(problemText(error));
      file.set(null);
    });
  }

  function cancel() {
    controller.abort();
    file.set(null);
  }

  /** @param {any} values */
  async function publish(values) {
    const id = await /** @type {Promise<string>} */ (sending);
    // without a version: the media item gets new ones while it is being processed
    await call("PATCH /v1/media/{id}", { id, body: videoDetails(values) });
    isDone = true;
    toast(t("uploaded"), { kind: "success" });
    await go(`/explore/videos/${id}`, { replace: true });
  }

  const details = form({ fields: videoFields(), submit: t("publish"), onsubmit: publish });
  return h(
    "div.stack.narrow",
    null,
    h("p", null, h("a.back-link", { href: link("/create") }, icon("back"), t("create"))),
    h("h1", null, t("uploadVideo")),
    () => failure.get() && h("p.form-failure", { role: "alert" }, icon("error"), failure.get()),
    h("div", { hidden: () => file.get() !== null }, offered("uploads", () => dropZone(begin))),
    () => file.get() && progressCard(/** @type {File} */ (file.get()), part, cancel),
    h("section.card.stack", { hidden: () => file.get() === null }, h("h2", null, t("aboutVideo")), details),
  );
}

/** The input covers the zone, so that a video may be dropped on it. @param {(file: File | undefined) => void} begin */
function dropZone(begin) {
  const input = h("input", {
    type: "file",
    accept: "video/*",
    "aria-label": t("chooseVideo"),
    "data-focus": true,
    onchange: () => begin(input.files?.[0]),
  });
  return h(
    "label.drop-zone",
    null,
    h("span.empty-icon", null, icon("upload")),
    h("span.post-title", null, t("chooseVideo")),
    h("span.soft.small-text", null, t("uploadHint")),
    input,
  );
}

/**
 * @param {File} file
 * @param {import("../../shared/signals.js").State<number>} part
 * @param {() => void} cancel
 */
const progressCard = (file, part, cancel) =>
  h(
    "div.card.stack",
    null,
    h(
      "div.person-row",
      null,
      h("span.workout-sign", null, icon("video")),
      h("div.grow", null, h("p.truncate.post-title", null, file.name), h("p.soft.small-text", null, bytes(file.size))),
      h("button.button.quiet", { type: "button", onclick: cancel }, t("otherFile")),
    ),
    h("progress", { max: 1, value: () => String(part.get()), "aria-label": t("uploadProgress") }),
    h("p.soft.small-text", { role: "status" }, () =>
      part.get() < 1 ? t("uploadingPart", { percent: percent(part.get()) }) : t("uploadComplete")),
  );
