// @ts-check
/** Chooses a profile photo: upload, turn, and the square that is shown. */
import { call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, buildField } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { percent } from "../../shared/language.js";
import { mediaReady } from "../../shared/media.js";
import { text } from "../../shared/text.js";
import { upload } from "../../shared/upload.js";
import { h, onCleanUp, state } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @typedef {{ quarterTurns: number, zoom: number, x: number, y: number }} Frame with the middle of the square from 0 to 1 */

/**
 * The square in pixels of the turned picture.
 * @param {Frame} frame
 * @param {{ width: number, height: number }} size of the picture before it is turned
 */
export function squareOf({ quarterTurns, zoom, x, y }, size) {
  const [width, height] = quarterTurns % 2 === 0 ? [size.width, size.height] : [size.height, size.width];
  const side = Math.max(1, Math.round(Math.min(width, height) / zoom));
  return {
    left: Math.round((width - side) * x),
    top: Math.round((height - side) * y),
    width: side,
    height: side,
  };
}

/** @returns {Promise<string | undefined>} the media item of the photo */
export async function choosePhoto() {
  const file = await new Promise((/** @type {(file?: File) => void} */ resolve) => {
    const input = h("input", {
      type: "file",
      accept: "image/*",
      onchange: () => resolve(input.files?.[0]),
      oncancel: () => resolve(undefined),
    });
    input.click();
  });
  return file && openDialog({ title: t("photo"), build: (close) => cropper(file, close) });
}

/**
 * @param {File} file
 * @param {(media?: string) => void} close
 */
function cropper(file, close) {
  const frame = state(/** @type {Frame} */ ({ quarterTurns: 0, zoom: 1, x: 0.5, y: 0.5 }));
  const part = state(/** @type {number | null} */ (null));
  const controller = new AbortController();
  const address = URL.createObjectURL(file);
  onCleanUp(() => {
    controller.abort();
    URL.revokeObjectURL(address);
  });
  const image = h("img", { src: address, alt: t("photo"), draggable: "false", onload: () => draw() });
  const view = h("div.crop", { onpointerdown: drag, "aria-hidden": "true" }, image);

  /** Places the picture so that its square fills the view. */
  function draw() {
    const size = { width: image.naturalWidth, height: image.naturalHeight };
    const { quarterTurns } = frame.get();
    const square = squareOf(frame.get(), size);
    const scale = view.clientWidth / square.width;
    const turned = quarterTurns % 2 === 0 ? size : { width: size.height, height: size.width };
    const place = {
      "--width": `${size.width * scale}px`,
      "--height": `${size.height * scale}px`,
      "--x": `${(turned.width / 2 - square.left) * scale}px`,
      "--y": `${(turned.height / 2 - square.top) * scale}px`,
      "--turn": `${quarterTurns * 90}deg`,
    };
    for (const [name, value] of Object.entries(place)) image.style.setProperty(name, value);
  }

  /** @param {Partial<Frame>} changes */
  const change = (changes) => {
    frame.update((it) => ({ ...it, ...changes }));
    draw();
  };

  /** @param {PointerEvent} start */
  function drag(start) {
    const { x, y } = frame.get();
    const move = (/** @type {PointerEvent} */ event) => {
      const [right, down] = [event.clientX - start.clientX, event.clientY - start.clientY];
      const clamp = (/** @type {number} */ it) => Math.min(1, Math.max(0, it));
      change({ x: clamp(x - right / view.clientWidth), y: clamp(y - down / view.clientHeight) });
    };
    view.setPointerCapture(start.pointerId);
    view.addEventListener("pointermove", move);
    view.addEventListener("pointerup", () => view.removeEventListener("pointermove", move), { once: true });
  }

  const save = async () => {
    const { signal } = controller;
    const id = await upload(file, { kind: "image", visibility: "everyone", signal, onProgress: (it) => part.set(it) });
    await mediaReady(id, signal);
    const size = await call("GET /v1/media/{id}/crop", { id }, { signal });
    const { quarterTurns } = frame.get();
    await call("PUT /v1/media/{id}/crop", { id, body: { quarterTurns, rectangle: squareOf(frame.get(), size) } });
    await mediaReady(id, signal);
    close(id);
  };
  const slider = (/** @type {"zoom" | "x" | "y"} */ name, /** @type {string} */ label, min = 0, max = 1) =>
    buildField({
      name,
      label,
      kind: "range",
      value: String(frame.get()[name]),
      props: {
        min,
        max,
        step: 0.01,
        oninput: (/** @type {any} */ event) => change({ [name]: Number(event.target.value) }),
      },
    }).element;
  return h(
    "div.stack",
    null,
    view,
    slider("zoom", t("zoom"), 1, 4),
    slider("x", t("horizontal")),
    slider("y", t("vertical")),
    h("p.soft.small-text", { role: "status" }, () => {
      const done = part.get();
      return done === null ? "" : done < 1 ? text("uploading", { percent: percent(done) }) : text("processing");
    }),
    h(
      "div.form-actions",
      null,
      h(
        "button.button",
        {
          type: "button",
          onclick: () => change({ quarterTurns: (frame.get().quarterTurns + 1) % 4 }),
        },
        icon("refresh"),
        t("turn"),
      ),
      actionButton({ label: t("usePhoto"), class: "primary", run: save }),
    ),
  );
}
