// @ts-check
import { call } from "../../../shared/api.js";
import { actionButton } from "../../../shared/components/form.js";
import { problemText } from "../../../shared/components/states.js";
import { toast } from "../../../shared/components/toast.js";
import { date, money } from "../../../shared/language.js";
import { link } from "../../../shared/router.js";
import { each, flush, h, onCleanUp, state } from "../../../shared/view.js";
import { orderNumber } from "../../components/number.js";
import { moveOrder } from "../components/orders.js";
import { keepUnchanged, nextStep, STEPS } from "../steps.js";
import { t } from "../strings.js";

/** @import { Order } from "../../../../Types/api.d.ts" */
/** @import { State } from "../../../shared/signals.js" */
/** @import { Step } from "../steps.js" */

/** New orders arrive without an event for the owner, so the dashboard asks for them. */
const MILLISECONDS = 20_000;

/** @param {{ signal: AbortSignal }} visit */
export async function load({ signal }) {
  const lists = await Promise.all(
    STEPS.map((fulfillment) => call("GET /v1/admin/orders", { status: "placed", fulfillment, limit: 50 }, { signal })),
  );
  return lists.flatMap((it) => it.items);
}

/**
 * The orders as cards in a column for each step. A card moves by its button, or by dragging it to the next column.
 * @param {Order[]} loaded
 * @param {import("../../../shared/router.js").Visit} visit
 */
export default function dashboardScreen(loaded, visit) {
  const orders = state(loaded);
  const dragged = state(/** @type {string | null} */ (null));
  const timer = setInterval(async () => {
    const newer = await load(visit).catch(() => null);
    if (newer && !dragged.get()) orders.update((known) => keepUnchanged(known, newer));
  }, MILLISECONDS);
  onCleanUp(() => clearInterval(timer));

  /** @param {Order} order @param {Step} step */
  async function move(order, step) {
    const moved = await moveOrder(order, step);
    if (!moved) return;
    orders.update((all) => all.map((it) => it.id === moved.id ? moved : it));
    flush();
    /** @type {HTMLElement | null} */ (board.querySelector(`[data-order="${moved.id}"] a`))?.focus();
    toast(t("movedTo", { number: orderNumber(moved), step: t(step) }), { kind: "success" });
  }

  /** @param {Step} step */
  async function drop(step) {
    const order = orders.get().find((it) => it.id === dragged.get());
    dragged.set(null);
    if (!order || order.fulfillmentStatus === step) return;
    if (nextStep(order) !== step) return toast(t("oneStep"));
    await move(order, step).catch((error) => toast(problemText(error), { kind: "error" }));
  }

  const column = (/** @type {Step} */ step) => {
    const inside = () => orders.get().filter((it) => it.fulfillmentStatus === step);
    return h(
      "section.board-column",
      {
        "aria-label": t(step),
        ondragover: (/** @type {DragEvent} */ event) => dragged.get() && event.preventDefault(),
        ondrop: () => drop(step),
      },
      h("h2.board-title", null, t(step), h("span.chip", null, () => inside().length)),
      h("ul.board-cards", { role: "list" }, each(inside, (it) => it.id, (order) => card(order, move, dragged))),
      () => inside().length === 0 && h("p.soft.small-text", null, t("noneHere")),
    );
  };
  const board = h("div.board", null, STEPS.map(column));
  return h(
    "div.stack",
    null,
    h("header.page-header", null, h("div", null, h("h1", null, t("orders")), h("p.soft", null, t("boardHint")))),
    board,
  );
}

/**
 * @param {State<Order>} order
 * @param {(order: Order, step: Step) => Promise<void>} move
 * @param {State<string | null>} dragged
 */
function card(order, move, dragged) {
  const { id } = order.get();
  const content = () => {
    const current = order.get();
    const next = nextStep(current);
    return [
      h("a.board-order", { href: link(`/orders/${id}`) }, orderNumber(current)),
      h("p.small-text", null, current.shippingAddress?.name ?? t("noAddress")),
      h(
        "ul.board-lines",
        { role: "list" },
        current.lines.map((it) => h("li", null, t("timesTitle", { count: it.quantity, title: it.title }))),
      ),
      h(
        "p.spread.small-text",
        null,
        h("span.soft", null, date(current.placedAt ?? current.createdAt)),
        h("strong.number", null, money(current.total)),
      ),
      next && actionButton({
        label: t(`to-${next}`),
        icon: "next",
        class: "wide",
        props: { "aria-label": `${t(`to-${next}`)}: ${orderNumber(current)}` },
        run: () => move(current, next),
      }),
    ];
  };
  return h("li.card.board-card", {
    draggable: "true",
    "data-order": id,
    ondragstart: () => dragged.set(id),
    ondragend: () => dragged.set(null),
  }, content);
}
