// @ts-check
import { call, pages } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { dateTime } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { hasRole } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { chip, entry } from "../components/entry.js";
import { personLink } from "../components/people.js";
import { shortID } from "../components/references.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** Auctions and offers that their buyers did not pay. */
export default function strikesScreen() {
  const list = paged((signal) => pages("GET /v1/auction-strikes", { limit: 30 }, { signal }));

  /** @param {string} id */
  async function lift(id) {
    if (!await confirmDialog({ title: t("liftQuestion"), confirm: t("lift") })) return;
    await call("DELETE /v1/auction-strikes/{id}", { id });
    await list.reload();
  }

  return sectionPage(
    "sales",
    { title: t("strikes"), intro: t("strikesIntro") },
    listView(list, {
      key: (it) => it.id,
      label: t("strikes"),
      empty: { icon: "gavel", title: t("noStrikes"), message: t("noStrikesHint") },
      render: (item) => {
        const { id, userID, orderID, at, liftedAt } = item.get();
        const order = h("a", { href: link(`/sales/orders/${orderID}`) }, t("orderTitle", { number: shortID(orderID) }));
        return entry({
          title: personLink(userID),
          details: [order, dateTime(at)],
          end: liftedAt ? chip(t("lifted")) : hasRole("owner", "administrator") &&
            actionButton({ label: t("lift"), class: "small", run: () => lift(id) }),
        });
      },
    }),
  );
}
