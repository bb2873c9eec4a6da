// @ts-check
import { icon } from "../../shared/components/icon.js";
import { picture } from "../../shared/components/picture.js";
import { h, state } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/**
 * Photos to swipe through, with buttons for keys and pointers.
 * @param {string[]} photos
 * @param {string} name
 */
export function gallery(photos, name) {
  const current = state(0);
  const strip = h(
    "div.gallery-strip",
    {
      tabindex: 0,
      role: "group",
      "aria-label": t("photosOf", { name }),
      onscroll: () => current.set(Math.round(Math.abs(strip.scrollLeft) / Math.max(1, strip.clientWidth))),
    },
    photos.map((id, index) =>
      picture(id, {
        alt: t("photoOf", { name, number: index + 1 }),
        ratio: "3 / 4",
        sizes: "(min-width: 52rem) 26rem, 92vw",
        isUrgent: index === 0,
      })
    ),
  );
  /** @param {number} step */
  const move = (step) => strip.children[current.get() + step]?.scrollIntoView({ inline: "start", block: "nearest" });
  return h(
    "div.gallery",
    null,
    strip,
    photos.length > 1 && [
      h(
        "p.gallery-count",
        { "aria-hidden": "true" },
        () => t("photoCount", { number: current.get() + 1, count: photos.length }),
      ),
      h(
        "button.button.icon-only.gallery-previous",
        {
          type: "button",
          "aria-label": t("photoPrevious"),
          hidden: () => current.get() === 0,
          onclick: () => move(-1),
        },
        icon("previous"),
      ),
      h(
        "button.button.icon-only.gallery-next",
        {
          type: "button",
          "aria-label": t("photoNext"),
          hidden: () => current.get() >= photos.length - 1,
          onclick: () => move(1),
        },
        icon("next"),
      ),
    ],
  );
}
