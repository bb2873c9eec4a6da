// @ts-check
/** A menu below a button, by the keys of the ARIA practices. */
import { h, state } from "../view.js";
import { uniqueID } from "./dom.js";
import { icon } from "./icon.js";

/** @import { IconName } from "./icon.js" */
/** @typedef {{ label: string, icon?: IconName, href?: string, run?: () => void, isDangerous?: boolean }} MenuItem */

/**
 * @param {{ label: string, content?: Node, items: () => MenuItem[], class?: string }} options
 *   - `content`: of the button; three dots by default
 */
export function menu({ label, content = icon("more"), items, class: kind = "button quiet icon-only" }) {
  const id = uniqueID("menu");
  const isOpen = state(false);
  const entries = () => /** @type {HTMLElement[]} */ ([...list.children]);
  const list = h("div.menu-list", {
    id,
    role: "menu",
    "aria-label": label,
    hidden: () => !isOpen.get(),
    onkeydown: move,
  });
  const button = h("button", {
    type: "button",
    class: kind,
    "aria-label": label,
    "aria-haspopup": "menu",
    "aria-expanded": () => String(isOpen.get()),
    "aria-controls": id,
    onclick: () => isOpen.get() ? close() : open(),
  }, content);

  function open() {
    list.replaceChildren(...items().map(entry));
    isOpen.set(true);
    list.hidden = false;
    entries()[0]?.focus();
    document.addEventListener("pointerdown", closeOutside);
  }

  function close(hasFocus = true) {
    isOpen.set(false);
    document.removeEventListener("pointerdown", closeOutside);
    if (hasFocus) button.focus();
  }

  /** @param {Event} event */
  function closeOutside(event) {
    if (!root.contains(/** @type {Node} */ (event.target))) close(false);
  }

  /** @param {MenuItem} item */
  function entry({ label: name, icon: sign, href, run, isDangerous }) {
    const props = {
      role: "menuitem",
      tabindex: -1,
      class: isDangerous ? "dangerous" : "",
      onclick: () => {
        close(!href);
        run?.();
      },
    };
    const inside = [sign && icon(sign), name];
    return href
      ? h("a.menu-item", { href, ...props }, inside)
      : h("button.menu-item", { type: "button", ...props }, inside);
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    const all = entries();
    const index = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Tab") close(false);
    else if (target !== undefined) {
      event.preventDefault();
      all.at(target % all.length)?.focus();
    }
  }

  const root = h("div.menu", null, button, list);
  return root;
}
