// @ts-check
import { call, pages } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { dateTime, money } from "../../shared/language.js";
import { hasRole } from "../../shared/session.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { h } from "../../shared/view.js";
import { chip, entry, facts } from "../components/entry.js";
import { choice, filters } from "../components/filters.js";
import { personLink } from "../components/people.js";
import { PAYOUT_STATES } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { Payout } from "../../../Types/api.d.ts" */

/** @type {Record<Payout["status"], import("../components/entry.js").Tone>} */
const TONES = { requested: "is-accent", paid: "is-success", rejected: "is-danger" };

/**
 * @param {undefined} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function payoutsScreen(_, { query }) {
  const { values, element } = filters({
    query,
    onchange: () => list.reload(),
    fields: [choice("status", t("payoutState"), PAYOUT_STATES)],
  });
  const list = paged((signal) => pages("GET /v1/admin/payouts", { ...values.get(), limit: 30 }, { signal }));

  /** @param {Payout} payout */
  async function pay({ id, amount }) {
    const account = await withProof(() => call("GET /v1/admin/payouts/{id}/bank-account", { id }));
    await openDialog({
      title: t("payoutPay"),
      build: (close) =>
        h(
          "div.stack",
          null,
          h("p", null, t("payoutPayHint")),
          facts([[t("amount"), money(amount)], [t("holder"), account.holder], ["IBAN", account.iban]]),
          form({
            fields: [{ name: "reference", label: t("reference"), required: true, props: { maxlength: 60 } }],
            submit: t("payoutPay"),
            oncancel: () => close(),
            onsubmit: async (body) => {
              await call("POST /v1/payouts/{id}/pay", { id, body });
              close();
              await list.reload();
            },
          }),
        ),
    });
  }

  /** @param {Payout} payout */
  const reject = ({ id }) =>
    openDialog({
      title: t("payoutReject"),
      build: (close) =>
        form({
          fields: [{ name: "reason", label: t("reason"), required: true, props: { maxlength: 120 } }],
          submit: t("payoutReject"),
          isDangerous: true,
          oncancel: () => close(),
          onsubmit: async (body) => {
            await call("POST /v1/payouts/{id}/reject", { id, body });
            close();
            await list.reload();
          },
        }),
    });

  return sectionPage(
    "sales",
    { title: t("payouts"), intro: t("payoutsIntro") },
    element,
    listView(list, {
      key: (it) => it.id,
      label: t("payouts"),
      empty: { icon: "card", title: t("noPayouts"), message: t("otherFilters") },
      render: (item) => {
        const payout = item.get();
        return entry({
          title: money(payout.amount),
          details: [
            personLink(payout.sellerID),
            payout.account?.maskedIBAN,
            dateTime(payout.createdAt),
            payout.reference,
            payout.reason,
          ],
          end: [
            chip(PAYOUT_STATES[payout.status], TONES[payout.status]),
            payout.status === "requested" && hasRole("owner", "administrator") && [
              actionButton({ label: t("payoutPay"), class: "small primary", run: () => pay(payout) }),
              actionButton({ label: t("payoutReject"), class: "small dangerous", run: () => reject(payout) }),
            ],
          ],
        });
      },
    }),
  );
}
