// @ts-check
/** What the owner of a listing can do with it. */
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { menu } from "../../shared/components/menu.js";
import { problemText } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { isOn } from "../../shared/features.js";
import { go, link } from "../../shared/router.js";
import { t } from "../screen-strings.js";
import { forget } from "./listings.js";

/** @import { Auction, Listing } from "../../../Types/api.d.ts" */
/** @import { MenuItem } from "../../shared/components/menu.js" */

/**
 * @param {Listing} listing
 * @param {Auction | undefined} auction that runs
 */
export function ownerMenu(listing, auction) {
  const { id, version, kind } = listing;
  const canAuction = isOn("auctions") && !auction && !listing.purchased &&
    listing.licenses.some((it) => it.kind === "exclusive");
  const remove = async () => {
    const question = { title: t("deleteQuestion", { name: listing.name }), message: t("deleteHint") };
    if (!await confirmDialog({ ...question, confirm: t("deleteListing"), isDangerous: true })) return;
    try {
      await call("DELETE /v1/listings/{id}", { id }, { version });
      forget(id);
      toast(t("deleted"), { kind: "success" });
      await go(kind === "beat" ? "/" : "/opens", { replace: true });
    } catch (error) {
      toast(problemText(error), { kind: "error" });
    }
  };
  return menu({
    label: t("manageListing"),
    items: () => /** @type {MenuItem[]} */ ([
      { label: t("editListing"), icon: "edit", href: link(`/listings/${id}/edit`) },
      canAuction && { label: t("startAuction"), icon: "gavel", href: link(`/listings/${id}/auction`) },
      { label: t("deleteListing"), icon: "trash", run: remove, isDangerous: true },
    ].filter(Boolean)),
  });
}
