// @ts-check
/** Choices as chips: one of them, or several. */
import { h } from "../../shared/view.js";

/**
 * Checkboxes that look like chips. Of a single choice, the next one replaces it, and it can be taken back.
 * @param {{ label: string, options: { value: string, label: string }[], chosen?: string[], isSingle?: boolean,
 *   onchange?: () => void }} settings
 */
export function chips({ label, options, chosen = [], isSingle, onchange }) {
  const boxes = options.map((option) => ({
    option,
    box: h("input.chip-box", {
      type: "checkbox",
      checked: chosen.includes(option.value),
      onchange: (/** @type {Event} */ event) => {
        const changed = /** @type {HTMLInputElement} */ (event.target);
        if (isSingle && changed.checked) { for (const { box } of boxes) box.checked = box === changed; }
        onchange?.();
      },
    }),
  }));
  const element = h(
    "div.choice-chips",
    { role: "group", "aria-label": label },
    boxes.map(({ option, box }) => h("label.choice-chip", null, box, h("span", null, option.label))),
  );
  return { element, read: () => boxes.filter(({ box }) => box.checked).map(({ option }) => option.value) };
}
