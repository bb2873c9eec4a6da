// @ts-check
/** Tabs, changed by the arrow keys. */
import { h, state } from "../view.js";
import { uniqueID } from "./dom.js";

/**
 * @param {{ label: string, tabs: { id: string, label: string, content: () => Node }[], selected?: string,
 *   onselect?: (id: string) => void }} options
 */
export function tabs({ label, tabs: all, selected = all[0].id, onselect }) {
  const current = state(selected);
  const prefix = uniqueID("tab");
  /** @param {string} id */
  const select = (id) => {
    current.set(id);
    onselect?.(id);
  };
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const isRTL = getComputedStyle(list).direction === "rtl";
    const step = { ArrowRight: isRTL ? -1 : 1, ArrowLeft: isRTL ? 1 : -1 }[event.key];
    const index = all.findIndex((it) => it.id === current.get());
    const target = event.key === "Home"
      ? 0
      : event.key === "End"
      ? all.length - 1
      : step && (index + step + all.length) % all.length;
    if (target === undefined) return;
    event.preventDefault();
    select(all[target].id);
    /** @type {HTMLElement} */ (list.children[target]).focus();
  };
  const list = h(
    "div.tabs",
    { role: "tablist", "aria-label": label, onkeydown: move },
    all.map((it) =>
      h("button.tab", {
        type: "button",
        role: "tab",
        id: `${prefix}-${it.id}`,
        "aria-controls": `${prefix}-panel`,
        "aria-selected": () => String(current.get() === it.id),
        tabindex: () => current.get() === it.id ? 0 : -1,
        onclick: () => select(it.id),
      }, it.label)
    ),
  );
  const panel = h("div.tab-panel", {
    role: "tabpanel",
    id: `${prefix}-panel`,
    tabindex: 0,
    "aria-labelledby": () => `${prefix}-${current.get()}`,
  }, () => all.find((it) => it.id === current.get())?.content());
  return h("div", null, list, panel);
}
