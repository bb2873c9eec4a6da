// @ts-check
import { call, pages, Problem } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { tabs } from "../../shared/components/tabs.js";
import { toast } from "../../shared/components/toast.js";
import { date, money } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { link, refresh } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { licenseName } from "../components/listings.js";
import { salesChart } from "../components/sales-chart.js";
import { t } from "../screen-strings.js";

/** @import { Balance, BalanceEntry, Payout, PayoutAccount, SalesMonth, SoldLine } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ signal }) {
  const [balances, months] = await Promise.all([
    call("GET /v1/balance", {}, { signal }),
    call("GET /v1/sales/summary", {}, { signal }),
  ]);
  return { balances: balances.items, months: months.items };
}

/** What has been sold and earned, and pay-outs of it. @param {{ balances: Balance[], months: SalesMonth[] }} loaded */
export default function earningsScreen({ balances, months }) {
  on(["license.sold", "payout.changed"], () => void refresh());
  const shown = balances.length > 0 ? balances : /** @type {Balance[]} */ ([{
    kind: "earnings",
    available: { amount: 0, currency: "USD" },
    held: { amount: 0, currency: "USD" },
  }]);
  return h(
    "div.stack",
    null,
    h("header", null, h("h1", null, t("earnings")), h("p.soft", null, t("earningsIntro"))),
    h("div.cards", null, shown.map(balanceCard)),
    months.some((it) => it.earned.amount > 0) && salesChart(months),
    tabs({
      label: t("earnings"),
      tabs: [
        { id: "sales", label: t("sales"), content: sales },
        { id: "payouts", label: t("payouts"), content: payouts },
        { id: "entries", label: t("entries"), content: entries },
      ],
    }),
  );
}

/** @param {Balance} balance */
const balanceCard = ({ kind, available, held }) =>
  h(
    "section.card.stack.balance",
    null,
    h("h2.eyebrow", null, t(kind === "earnings" ? "availableEarnings" : "storeCredit")),
    h("p.huge-price.number", null, money(available)),
    held.amount > 0 && h("p.soft.small-text", null, t("held", { price: money(held) })),
    kind === "earnings" &&
      actionButton({
        label: t("payOut"),
        icon: "send",
        class: "primary",
        run: () => payOut(available),
        props: { "aria-disabled": available.amount > 0 ? null : "true" },
      }),
  );

/** The bank account; `null` before there is one. */
async function bankAccount() {
  try {
    return await call("GET /v1/payout-account");
  } catch (error) {
    if (Problem.is(error, "payout-account-not-found")) return null;
    throw error;
  }
}

/** @param {Balance["available"]} available */
async function payOut(available) {
  if (available.amount <= 0) return toast(t("nothingToPayOut"));
  const account = await bankAccount() ?? await editAccount(null);
  if (!account) return;
  const payout = await openDialog({
    title: t("payOut"),
    /** @param {(payout?: Payout) => void} close */
    build: (close) =>
      form({
        fields: [{
          name: "amount",
          label: t("amount"),
          hint: t("payOutTo", { account: account.maskedIBAN, price: money(available) }),
          kind: "money",
          currency: available.currency,
          value: available,
          required: true,
        }],
        submit: t("payOut"),
        oncancel: () => close(),
        onsubmit: async ({ amount }, { key }) => close(await call("POST /v1/payouts", { body: amount }, { key })),
      }),
  });
  if (!payout) return;
  toast(t("payOutRequested"), { kind: "success" });
  await refresh();
}

/** @param {PayoutAccount | null} account @returns {Promise<PayoutAccount | undefined>} */
const editAccount = (account) =>
  openDialog({
    title: t("bankAccount"),
    build: (close) =>
      h(
        "div.stack",
        null,
        h("p.soft", null, account ? t("bankAccountNow", { account: account.maskedIBAN }) : t("bankAccountHint")),
        form({
          fields: [
            {
              name: "holder",
              label: t("accountHolder"),
              value: account?.holder,
              required: true,
              props: { autocomplete: "name" },
            },
            {
              name: "iban",
              label: "IBAN",
              required: true,
              props: { autocomplete: "off", spellcheck: "false", maxlength: 42 },
            },
          ],
          submit: t("saveChanges"),
          oncancel: () => close(),
          onsubmit: async (body) => close(await call("PUT /v1/payout-account", { body })),
        }),
      ),
  });

const sales = () =>
  listView(paged((signal) => pages("GET /v1/sales", {}, { signal })), {
    key: (it) => `${it.orderID}.${it.position}`,
    label: t("sales"),
    render: (it) => saleRow(it.get()),
    empty: {
      icon: "chart",
      title: t("noSales"),
      message: t("noSalesHint"),
      action: h("a.button.primary", { href: link("/listings/new") }, icon("add"), t("sell")),
    },
  });

/** @param {SoldLine} sale */
const saleRow = ({ title, listingID, license, soldAt, price, fee, earned, refunded }) =>
  h(
    "div",
    null,
    h(
      "span.grow",
      null,
      h("strong", null, listingID ? h("a", { href: link(`/listings/${listingID}`) }, title) : title),
      h("br"),
      h("span.soft.small-text", null, [license && licenseName(license), date(soldAt)].filter(Boolean).join(" · ")),
    ),
    h(
      "span.sale-sums.number",
      null,
      h("strong", null, money(earned)),
      h("span.soft.small-text", null, t("ofPrice", { price: money(price), fee: money(fee) })),
      refunded.amount > 0 && h("span.chip.is-warning", null, t("refundedSum", { price: money(refunded) })),
    ),
  );

/** @type {Record<Payout["status"], { label: () => string, kind: string }>} */
const PAYOUTS = {
  requested: { label: () => t("payoutRequested"), kind: "is-warning" },
  paid: { label: () => t("payoutPaid"), kind: "is-success" },
  rejected: { label: () => t("payoutRejected"), kind: "is-danger" },
};

const payouts = () =>
  h(
    "div.stack",
    null,
    h(
      "div.row",
      null,
      actionButton({
        label: t("bankAccount"),
        icon: "card",
        run: async () => {
          if (await editAccount(await bankAccount())) toast(t("saved"), { kind: "success" });
        },
      }),
    ),
    listView(paged((signal) => pages("GET /v1/payouts", {}, { signal })), {
      key: (it) => it.id,
      label: t("payouts"),
      render: (it) => payoutRow(it.get()),
      empty: { icon: "send", title: t("noPayouts"), message: t("noPayoutsHint") },
    }),
  );

/** @param {Payout} payout */
const payoutRow = ({ amount, status, account, createdAt, reference, reason }) =>
  h(
    "div",
    null,
    h(
      "span.grow",
      null,
      h("strong.number", null, money(amount)),
      h("br"),
      h(
        "span.soft.small-text",
        null,
        [date(createdAt), account?.maskedIBAN, reference ?? reason].filter(Boolean).join(" · "),
      ),
    ),
    h("span.chip", { class: PAYOUTS[status].kind }, PAYOUTS[status].label()),
  );

const entries = () =>
  listView(paged((signal) => pages("GET /v1/balance/entries", {}, { signal })), {
    key: (it) => it.id,
    label: t("entries"),
    render: (it) => entryRow(it.get()),
    empty: { icon: "list", title: t("noEntries"), message: t("noEntriesHint") },
  });

/** @param {BalanceEntry} entry */
const entryRow = ({ amount, code, at }) =>
  h(
    "div",
    null,
    h("span.grow", null, h("strong", null, entryName(code)), h("br"), h("span.soft.small-text", null, date(at))),
    h("span.number", { class: amount.amount < 0 ? "soft" : "" }, money(amount)),
  );

/** @param {string} code */
function entryName(code) {
  if (/refund|dispute/i.test(code)) return t("entryRefund");
  if (/payout|pay-out/i.test(code)) return t("entryPayout");
  if (/fee/i.test(code)) return t("entryFee");
  if (/credit|grant/i.test(code)) return t("entryCredit");
  return t("entrySale");
}
