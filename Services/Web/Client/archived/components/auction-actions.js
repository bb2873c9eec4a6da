// @ts-check
/** Watching an auction, and for its seller canceling it. */
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/**
 * @param {import("./room.js").Room} live
 * @param {boolean} isSeller
 */
export function auctionActions({ auction }, isSeller) {
  const { id } = auction.get();
  const watch = async () => {
    const { isWatched } = auction.get();
    if (isWatched) await call("DELETE /v1/auctions/{id}/watch", { id });
    else await call("PUT /v1/auctions/{id}/watch", { id });
    auction.update((it) => ({ ...it, isWatched: !isWatched }));
    if (!isWatched) toast(t("watching"), { kind: "success" });
  };
  const cancel = async () => {
    const question = { title: t("cancelAuctionQuestion"), confirm: t("cancelAuction"), isDangerous: true };
    if (await confirmDialog(question)) auction.set(await call("POST /v1/auctions/{id}/cancel", { id }));
  };
  const isRunning = () => ["scheduled", "open"].includes(auction.get().status);
  return h(
    "div.stack",
    null,
    () =>
      isRunning() && !isSeller &&
      actionButton({
        label: t(auction.get().isWatched ? "unwatch" : "watch"),
        icon: "eye",
        class: "quiet",
        run: watch,
      }),
    isSeller && h("p.soft.small-text", null, t("yourAuction")),
    () =>
      isSeller && isRunning() && auction.get().bidCount === 0 &&
      actionButton({ label: t("cancelAuction"), class: "dangerous", run: cancel }),
  );
}
