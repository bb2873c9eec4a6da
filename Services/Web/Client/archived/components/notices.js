// @ts-check
/** Short notices of what happens elsewhere in the app, with the way there. */
import { toast } from "../../shared/components/toast.js";
import { on } from "../../shared/realtime.js";
import { currentPath, go } from "../../shared/router.js";
import { untracked } from "../../shared/view.js";
import { t } from "../strings.js";

/** @typedef {{ text: () => string, path: (data: any) => string }} Notice */

/** @type {Record<string, Notice>} */
const NOTICES = {
  "auction.outbid": { text: () => t("noticeOutbid"), path: ({ auction }) => `/auctions/${auction}` },
  "auction.endingSoon": { text: () => t("endsSoon"), path: ({ auction }) => `/auctions/${auction}` },
  "license.sold": { text: () => t("noticeSold"), path: () => "/earnings" },
  "connection.requested": { text: () => t("noticeRequest"), path: () => "/connections?tab=incoming" },
  "connection.accepted": { text: () => t("noticeConnected"), path: () => "/connections" },
  "offer.changed": { text: () => t("noticeOffer"), path: () => "/library?tab=offers" },
};

/** Follows the events of the user; a page that shows them itself needs no notice. */
export function followNotices() {
  on(Object.keys(NOTICES), (data, name) => {
    const path = NOTICES[name].path(data);
    const isShown = untracked(() => {
      const current = currentPath.get();
      return current === path.split("?")[0] || (name === "offer.changed" && current.startsWith("/messages/"));
    });
    if (!isShown) toast(NOTICES[name].text(), { action: { label: t("show"), run: () => void go(path) } });
  });
}
