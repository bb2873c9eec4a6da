// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { dateTime, money } from "../../shared/language.js";
import { chip, entry } from "../components/entry.js";
import { personLink } from "../components/people.js";
import { UNMATCHED } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** Purchases of the App Store that belong to no order (docs/storekit.md). */
export default function appStoreScreen() {
  const list = paged((signal) => pages("GET /v1/payments/storekit/unmatched", { limit: 30 }, { signal }));
  return sectionPage(
    "sales",
    { title: t("appStore"), intro: t("appStoreIntro") },
    listView(list, {
      key: (it) => it.transactionID,
      label: t("appStore"),
      empty: { icon: "check", title: t("noUnmatched"), message: t("noUnmatchedHint") },
      render: (item) => {
        const { product, amount, userID, reason, isRevoked, purchasedAt } = item.get();
        return entry({
          title: product,
          details: [amount && money(amount), userID && personLink(userID), dateTime(purchasedAt)],
          end: [chip(UNMATCHED[reason], "is-warning"), isRevoked && chip(t("revoked"))],
        });
      },
    }),
  );
}
