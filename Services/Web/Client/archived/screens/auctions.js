// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { tabs } from "../../shared/components/tabs.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { lotCard, withListings } from "../components/lots.js";
import { t } from "../screen-strings.js";

/** @import { Operations } from "../../../Types/api.d.ts" */
/** @import { IconName } from "../../shared/components/icon.js" */

/** @param {unknown} _ @param {import("../../shared/router.js").Visit} visit */
export default function auctionsScreen(_, { query }) {
  /** @type {{ id: string, label: string, wanted: Operations["GET /v1/auctions"]["args"], icon: IconName, title: string, message: string }[]} */
  const kinds = [
    {
      id: "open",
      label: t("auctionsOpen"),
      wanted: { status: "open" },
      icon: "gavel",
      title: t("noAuctions"),
      message: t("noAuctionsHint"),
    },
    {
      id: "bids",
      label: t("auctionsBid"),
      wanted: { bidder: "me" },
      icon: "gavel",
      title: t("noBidsYet"),
      message: t("noBidsYetHint"),
    },
    {
      id: "watched",
      label: t("auctionsWatched"),
      wanted: { watched: true },
      icon: "eye",
      title: t("noWatched"),
      message: t("noWatchedHint"),
    },
    {
      id: "own",
      label: t("auctionsOwn"),
      wanted: { seller: user.get()?.id },
      icon: "gavel",
      title: t("noOwnAuctions"),
      message: t("noOwnAuctionsHint"),
    },
  ];
  return h(
    "div.stack",
    null,
    h("header", null, h("h1", null, t("auctions")), h("p.soft", null, t("auctionsIntro"))),
    tabs({
      label: t("auctions"),
      selected: kinds.find((it) => it.id === query.get("tab"))?.id,
      onselect: (id) => history.replaceState(history.state, "", link("/auctions", { tab: id === "open" ? "" : id })),
      tabs: kinds.map(({ id, label, wanted, ...nothing }) => ({
        id,
        label,
        content: () =>
          listView(paged((signal) => lots(wanted, signal)), {
            key: (it) => it.auction.id,
            render: (it) => lotCard(it.get()),
            class: "cards lot-cards",
            label,
            empty: nothing,
          }),
      })),
    }),
  );
}

/**
 * @param {Operations["GET /v1/auctions"]["args"]} wanted
 * @param {AbortSignal} signal
 */
async function* lots(wanted, signal) {
  for await (const auctions of pages("GET /v1/auctions", wanted, { signal })) yield await withListings(auctions);
}
