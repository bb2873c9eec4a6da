// @ts-check
import { picture } from "../../shared/components/picture.js";
import { h } from "../../shared/view.js";

/**
 * A photo with the name and a few words over it.
 * @param {{ name: string, photo?: string, lines: (string | undefined)[], chips: string[], badge?: Node | false,
 *   isUrgent?: boolean, level?: "h2" | "h3" }} content
 */
export function cardFace({ name, photo, lines, chips, badge, isUrgent, level = "h2" }) {
  return h(
    "div.card-face",
    null,
    picture(photo, { alt: "", ratio: "3 / 4", sizes: "(min-width: 30rem) 26rem, 92vw", isUrgent }),
    badge,
    h(
      "div.card-text",
      null,
      h(level, { class: "card-name" }, name),
      lines.filter(Boolean).map((it) => h("p", null, it)),
      chips.length > 0 && h("p.card-chips", null, chips.map((it) => h("span", null, it))),
    ),
  );
}
