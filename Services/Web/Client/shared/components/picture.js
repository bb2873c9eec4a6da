// @ts-check
/** Pictures of media in the size that the page needs. */
import { thumbnail } from "../media.js";
import { h } from "../view.js";
import { icon } from "./icon.js";

export { avatar } from "./avatar.js";

/** @type {readonly (64 | 160 | 320 | 640 | 1280 | 2048)[]} */
const WIDTHS = [160, 320, 640, 1280];

/**
 * @param {string | undefined} id of a media item that is a picture or a video; without one, a placeholder
 * @param {{ alt: string, sizes?: string, ratio?: string, thumbHash?: string, class?: string, isUrgent?: boolean }} options
 *   - `alt`: empty for decoration
 *   - `sizes`: how wide it is shown, as in HTML: `(min-width: 900px) 300px, 50vw`
 *   - `isUrgent`: it is seen at once, so it is not loaded lazily
 */
export function picture(id, { alt, sizes = "100vw", ratio = "1", thumbHash, class: kind = "", isUrgent }) {
  const frame = h("span.picture", {
    class: kind,
    style: { "--ratio": ratio, ...(thumbHash && { "--average": averageColor(thumbHash) }) },
  });
  const fallBack = () =>
    frame.replaceChildren(
      h("span.picture-missing", { role: alt ? "img" : null, "aria-label": alt || null }, icon("image")),
    );
  if (!id) {
    fallBack();
    return frame;
  }
  const srcset = WIDTHS.map((width) => `${thumbnail(id, width)} ${width}w`).join(", ");
  frame.append(
    h("img", {
      alt,
      sizes,
      srcset,
      src: thumbnail(id, 640),
      loading: isUrgent ? "eager" : "lazy",
      decoding: "async",
      onerror: fallBack,
    }),
  );
  return frame;
}

/**
 * The average color of a ThumbHash, which the first three bytes hold.
 * @param {string} thumbHash in base64
 */
export function averageColor(thumbHash) {
  const bytes = [...atob(thumbHash)].map((it) => it.charCodeAt(0));
  const header = bytes[0] | bytes[1] << 8 | bytes[2] << 16;
  const [l, p, q] = [(header & 63) / 63, (header >> 6 & 63) / 31.5 - 1, (header >> 12 & 63) / 31.5 - 1];
  const blue = l - 2 / 3 * p;
  const red = (3 * l - blue + q) / 2;
  const channel = (/** @type {number} */ it) => Math.round(255 * Math.min(1, Math.max(0, it)));
  return `rgb(${channel(red)} ${channel(red - q)} ${channel(blue)})`;
}
