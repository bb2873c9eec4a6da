// @ts-check
/** A card that is dragged to one side. */

/** From this part of its width on, or this fast, a drag decides. */
const FAR = 0.32;
const FAST = 0.6;

/**
 * Where a drag leads: to the right is 1, to the left -1, back is 0.
 * @param {{ distance: number, width: number, milliseconds: number }} drag
 */
export function dragResult({ distance, width, milliseconds }) {
  const speed = Math.abs(distance) / Math.max(1, milliseconds);
  const isEnough = Math.abs(distance) > width * FAR || (speed > FAST && Math.abs(distance) > 40);
  return isEnough ? Math.sign(distance) : 0;
}

/**
 * Follows the pointer with the custom properties `--x` and `--part` (-1 to 1).
 * @param {HTMLElement} card
 * @param {(side: number) => void} decide called with 1 or -1
 */
export function draggable(card, decide) {
  /** @type {{ x: number, y: number, at: number, isDrag: boolean } | null} */
  let start = null;

  /** @param {number} x */
  const place = (x) => {
    card.style.setProperty("--x", `${x}px`);
    card.style.setProperty("--part", String(Math.max(-1, Math.min(1, x / (card.clientWidth * FAR)))));
  };
  const release = () => {
    start = null;
    card.classList.remove("is-dragged");
    place(0);
  };

  card.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.isPrimary) {
      start = { x: event.clientX, y: event.clientY, at: event.timeStamp, isDrag: false };
    }
  });
  card.addEventListener("pointermove", (event) => {
    if (!start) return;
    const x = event.clientX - start.x;
    if (!start.isDrag && Math.abs(x) > 8 && Math.abs(x) > Math.abs(event.clientY - start.y)) {
      start.isDrag = true;
      card.setPointerCapture(event.pointerId);
      card.classList.add("is-dragged");
    }
    if (start.isDrag) place(x);
  });
  card.addEventListener("pointerup", (event) => {
    if (!start?.isDrag) return void (start = null);
    const distance = event.clientX - start.x;
    const side = dragResult({ distance, width: card.clientWidth, milliseconds: event.timeStamp - start.at });
    // the click that follows is not one on the card
    card.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => card.removeEventListener("click", swallow, { capture: true }), 50);
    release();
    if (side) decide(side);
  });
  card.addEventListener("pointercancel", release);
  card.addEventListener("dragstart", (event) => event.preventDefault());
}

/** @param {Event} event */
function swallow(event) {
  event.stopPropagation();
  event.preventDefault();
}
