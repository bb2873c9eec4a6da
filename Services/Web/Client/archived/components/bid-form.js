// @ts-check
/** Bids in an auction, and buys at once while no one has bid. */
import { call, Problem } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { money, moneyText } from "../../shared/language.js";
import { withLocalizedProblem } from "../../shared/problems.js";
import { go } from "../../shared/router.js";
import { h, untracked } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @import { Room } from "./room.js" */

/** @param {Room} live */
export function bidForm(live) {
  const { auction, noted, reload } = live;
  const { currency } = untracked(() => auction.get().minNextBid);
  const least = () => auction.get().minNextBid;
  const suggestions = () =>
    [0, 1, 3].map((steps) => ({ ...least(), amount: least().amount + steps * step(least().amount) }));
  const fill = (/** @type {{ amount: number, currency: string }} */ price) => {
    const input = /** @type {HTMLInputElement} */ (element.querySelector("input"));
    input.value = moneyText(price);
    input.focus();
  };
  const element = form({
    fields: [{
      name: "maxAmount",
      label: t("yourMaximum"),
      hint: t("maximumHint"),
      kind: "money",
      currency,
      required: true,
      props: { autocomplete: "off" },
    }],
    submit: t("placeBid"),
    onsubmit: async (body, { key }) => {
      try {
        const { id } = auction.get();
        noted(
          await withLocalizedProblem(call("POST /v1/auctions/{id}/bids", { id, body }, { key }), t),
          body.maxAmount,
        );
        element.reset();
      } catch (error) {
        if (Problem.is(error, "below-minimum", "auction-closed")) reload();
        throw error;
      }
    },
  });
  const buy = async () => {
    const price = auction.get().buyNow;
    if (!price) return;
    const question = { title: t("buyNowQuestion", { price: money(price) }), message: t("buyNowExplained") };
    if (!await confirmDialog({ ...question, confirm: t("buyNow") })) return;
    const order = await withLocalizedProblem(call("POST /v1/auctions/{id}/buy-now", { id: auction.get().id }), t);
    await go(`/orders/${order.id}`);
  };
  return h(
    "div.stack",
    null,
    h("p.small-text", null, () => t("leastBid", { price: money(least()) })),
    h(
      "div.row.quick-bids",
      { role: "group", "aria-label": t("quickBids") },
      () =>
        suggestions().map((price) =>
          h("button.button.small", { type: "button", onclick: () => fill(price) }, money(price))
        ),
    ),
    element,
    () => {
      const price = auction.get().buyNow;
      return price &&
        h(
          "div.stack.buy-now",
          null,
          h("p.or.soft.small-text", null, t("or")),
          actionButton({ label: t("buyNowFor", { price: money(price) }), icon: "cart", class: "wide", run: buy }),
        );
    },
  );
}

/** A round step for a price: about a twentieth of it. @param {number} amount */
export function step(amount) {
  const size = 10 ** Math.max(2, Math.floor(Math.log10(Math.max(1, amount))) - 1);
  return amount / size >= 50 ? size * 5 : size;
}
