// @ts-check
import { call } from "../../shared/api.js";
import { serverNow } from "../../shared/clock.js";
import { form } from "../../shared/components/form.js";
import { offered } from "../../shared/features.js";
import { go, link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { cover, forget } from "../components/listings.js";
import { t } from "../screen-strings.js";

/** @import { Listing } from "../../../Types/api.d.ts" */

const MINUTE = 60_000;
const DURATIONS = /** @type {const} */ (["5", "60", "1440", "4320", "10080"]);

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ params: { id }, signal }) => call("GET /v1/listings/{id}", { id }, { signal });

/** Auctions the exclusive right to a listing. @param {Listing} listing */
export default function newAuctionScreen(listing) {
  const { currency } = listing.price;
  const money = { kind: "money", currency };
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("startAuction")),
    h(
      "a.card.row",
      { href: link(`/listings/${listing.id}`) },
      cover(listing.cover, { sizes: "64px", class: "thumb" }),
      h("strong.grow", null, listing.name),
    ),
    h("p.soft", null, t("auctionIntro")),
    h(
      "div.card",
      null,
      offered("auctions", () =>
        form({
          fields: [
            { name: "startPrice", label: t("startingPrice"), required: true, ...money },
            { name: "reserve", label: t("reserve"), hint: t("reserveHint"), ...money },
            { name: "buyNow", label: t("buyNowPrice"), hint: t("buyNowHint"), ...money },
            {
              name: "minutes",
              label: t("duration"),
              kind: "select",
              value: "1440",
              options: DURATIONS.map((it) => ({ value: it, label: t(`minutes_${it}`) })),
            },
          ],
          submit: t("startAuction"),
          onsubmit: async ({ minutes, ...prices }, { key }) => {
            const closesAt = new Date(serverNow() + Number(minutes) * MINUTE).toISOString();
            const body = { listingID: listing.id, closesAt, ...prices };
            const auction = await call("POST /v1/auctions", { body }, { key });
            forget(listing.id);
            await go(`/auctions/${auction.id}`, { replace: true });
          },
        })),
    ),
  );
}
