// @ts-check
import { thumbnail } from "../media.js";
import { h } from "../view.js";
import { icon } from "./icon.js";

/**
 * The photo of a person, or the initials of the name. It is decoration: the name stands beside it.
 * @param {{ id?: string, displayName?: string, username?: string, photo?: string, details?: { photo?: string } } | undefined} person
 * @param {{ size?: "small" | "medium" | "large" | "huge" }} [options]
 */
export function avatar(person, { size = "medium" } = {}) {
  const name = person?.displayName ?? person?.username ?? "";
  const photo = person?.photo ?? person?.details?.photo;
  const initials = name.split(/\s+/).filter(Boolean).slice(0, 2).map((it) => [...it][0].toUpperCase()).join("");
  const hue =
    [...(person?.id ?? name)].reduce((hash, it) => Math.imul(hash ^ it.charCodeAt(0), 16777619) >>> 0, 2166136261) %
    360;
  const letters = () => h("span.avatar-initials", null, initials || icon("person"));
  const element = h("span.avatar", { class: `is-${size}`, style: { "--hue": hue }, "aria-hidden": "true" });
  const width = size === "huge" ? 320 : 160;
  element.append(
    photo
      ? h("img", {
        src: thumbnail(photo, width),
        alt: "",
        loading: "lazy",
        onerror: () => element.replaceChildren(letters()),
      })
      : letters(),
  );
  return element;
}
