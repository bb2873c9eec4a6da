// @ts-check
import { picture } from "../../shared/components/picture.js";
import { icon } from "../../shared/components/icon.js";
import { content } from "../../shared/media.js";
import { h } from "../../shared/view.js";
import { speak } from "../sounds.js";
import { isPicture } from "./attachments.js";
import { t } from "../screen-strings.js";

/** @import { Card } from "../study/model.js" */

/** One side of a card: its text, its pictures, and a button that reads it aloud. @param {Card} card @param {"front" | "back"} side */
export function cardFace(card, side) {
  const text = card[side];
  const attached = card.attachments.filter((it) => (it.side ?? "front") === side);
  return h(
    "div.face",
    null,
    attached.map((it) =>
      isPicture(it)
        ? picture(it.media, {
          alt: it.name ?? t("pictureOf", { text }),
          ratio: "4 / 3",
          sizes: "(min-width: 700px) 400px, 90vw",
        })
        : h(
          "a.button.quiet.face-file",
          { href: content(it.media), target: "_blank", rel: "noopener" },
          icon("download"),
          it.name,
        )
    ),
    h("p.face-text", { class: text.length > 90 ? "is-long" : "", dir: "auto" }, text),
    text && "speechSynthesis" in globalThis &&
      h("button.button.quiet.icon-only.face-speak", {
        type: "button",
        "aria-label": t("readAloud"),
        onclick: (/** @type {Event} */ event) => {
          event.stopPropagation();
          speak(text);
        },
      }, icon("volume")),
  );
}
