// @ts-check
import { call, pages } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime, money } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { hasRole } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { chip, entry } from "../components/entry.js";
import { choice, filters } from "../components/filters.js";
import { shortID } from "../components/references.js";
import { REFUND_STATES, REFUND_TONES } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { Refund } from "../../../Types/api.d.ts" */

/**
 * @param {undefined} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function refundsScreen(_, { query }) {
  const { values, element } = filters({
    query,
    onchange: () => list.reload(),
    fields: [choice("status", t("refundState"), REFUND_STATES)],
  });
  const list = paged((signal) => pages("GET /v1/refunds", { ...values.get(), limit: 30 }, { signal }));

  /** @param {Refund} refund */
  async function retry({ id, amount }) {
    const question = { title: t("retryQuestion", { amount: money(amount) }), confirm: t("retryToCredit") };
    if (!await confirmDialog({ ...question, message: t("retryHint") })) return;
    await call("POST /v1/refunds/{id}/retry", { id, body: { toCredit: true } });
    await list.reload();
    toast(t("refundBegun"), { kind: "success" });
  }

  return sectionPage(
    "sales",
    { title: t("refunds"), intro: t("refundsIntro") },
    element,
    listView(list, {
      key: (it) => it.id,
      label: t("refunds"),
      empty: { icon: "refresh", title: t("noRefunds"), message: t("otherFilters") },
      render: (item) => {
        const refund = item.get();
        const order = h(
          "a",
          { href: link(`/sales/orders/${refund.orderID}`) },
          t("orderTitle", { number: shortID(refund.orderID) }),
        );
        return entry({
          title: money(refund.amount),
          details: [order, dateTime(refund.createdAt), refund.toCredit && t("toCredit"), refund.reason, refund.failure],
          end: [
            chip(REFUND_STATES[refund.status], REFUND_TONES[refund.status]),
            refund.status === "failed" && hasRole("owner", "administrator") &&
            actionButton({ label: t("retryToCredit"), class: "small", run: () => retry(refund) }),
          ],
        });
      },
    }),
  );
}
