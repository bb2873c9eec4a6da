// @ts-check
/** The licenses that a listing offers, with what each permits. */
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { money, percent } from "../../shared/language.js";
import { go } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { inCart } from "./counts.js";
import { licenseName } from "./listings.js";
import { makeOffer } from "./offer-dialog.js";

/** @import { LicenseOption, Listing } from "../../../Types/api.d.ts" */

const FILES = { taggedMP3: "MP3 (tag)", mp3: "MP3", wav: "WAV", stems: "Stems" };

/** @param {keyof typeof FILES} file */
export const fileName = (file) => FILES[file];

/**
 * @param {Listing} listing
 * @param {{ isOwn: boolean, hasAuction: boolean }} options
 *   - `hasAuction`: whether the exclusive right can only be won in the auction
 */
export function licenseOffers(listing, { isOwn, hasAuction }) {
  if (listing.purchased) {
    return h("section.card", null, h("h2", null, t("soldTitle")), h("p.soft", null, t("soldHint")));
  }
  return h(
    "section.stack",
    { "aria-labelledby": "licenses" },
    h("h2", { id: "licenses" }, t("licenses")),
    h(
      "ul.stack.license-list",
      { role: "list" },
      listing.licenses.map((option) =>
        h("li", null, offer(listing, option, isOwn || (hasAuction && option.kind === "exclusive")))
      ),
    ),
    !isOwn && listing.acceptsOffers &&
      h("button.button.wide", { type: "button", onclick: () => makeOffer(listing) }, icon("tag"), t("makeOffer")),
  );
}

/**
 * @param {Listing} listing
 * @param {LicenseOption} option
 * @param {boolean} isClosed
 */
function offer({ id, name }, option, isClosed) {
  const { kind, price } = option;
  const add = async () => {
    const cart = await call("POST /v1/cart/items", { body: { listingID: id, license: kind, quantity: 1 } });
    inCart.set(cart.items.length);
    toast(t("addedToCart", { name }), {
      kind: "success",
      action: { label: t("toCart"), run: () => void go("/cart") },
    });
  };
  return h(
    "div.card.license",
    { class: kind === "exclusive" && "is-exclusive" },
    h(
      "div.spread",
      null,
      h("h3", null, licenseName(kind)),
      h("p.price.number", null, price.amount === 0 ? t("free") : money(price)),
    ),
    h("ul.terms", { role: "list" }, terms(option).map((it) => h("li", null, icon("check"), it))),
    !isClosed &&
      actionButton({
        label: t("addToCart"),
        icon: "cart",
        class: kind === "exclusive" ? "wide" : "wide soft-accent",
        run: add,
        props: { "aria-label": t("addLicense", { license: licenseName(kind) }) },
      }),
  );
}

/** @param {LicenseOption} option */
function terms({ kind, files, streams, copies, musicVideos, days, ownerShare }) {
  return [
    files.map(fileName).join(" + "),
    streams ? t("streams", { count: streams }) : kind === "free" ? t("personalUse") : t("streamsUnlimited"),
    copies && t("copies", { count: copies }),
    musicVideos && t("musicVideos", { count: musicVideos }),
    days ? t("days", { count: days }) : t("forever"),
    kind === "exclusive" && t("exclusiveHint"),
    kind !== "free" && t("ownerShare", { percent: percent(ownerShare / 10_000) }),
  ].filter((it) => typeof it === "string");
}
