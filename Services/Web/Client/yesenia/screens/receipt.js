// @ts-check
import { addressOf, call } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { date, money } from "../../shared/language.js";
import { totals } from "../../shared/payment/totals.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { orderNumber } from "../components/number.js";
import { t } from "../strings.js";

/** @import { Receipt } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ params, signal }) => call("GET /v1/orders/{id}/receipt", { id: params.id }, { signal });

/** @param {Receipt} receipt */
export default function receiptScreen(receipt) {
  const number = orderNumber({ id: receipt.orderID });
  const file = addressOf("GET /v1/orders/{id}/receipt.html", { id: receipt.orderID });
  return h(
    "div.stack.receipt-page",
    null,
    h(
      "header.page-header.no-print",
      null,
      h("a.button.quiet", { href: link(`/orders/${receipt.orderID}`) }, icon("back"), t("orderOf", { number })),
      h(
        "div.row",
        null,
        h("button.button", { type: "button", onclick: () => print() }, icon("copy"), t("print")),
        h("a.button", { href: file, download: `${t("receipt")} ${number}.html` }, icon("download"), t("download")),
      ),
    ),
    h(
      "article.card.receipt",
      null,
      h(
        "header.spread",
        null,
        h("div", null, h("p.eyebrow", null, "Yesenia Designs"), h("h1", null, t("receiptOf", { number }))),
        h(
          "p.receipt-facts",
          null,
          h("span", null, date(receipt.placedAt, { dateStyle: "long" })),
          h("span", null, receipt.buyer),
        ),
      ),
      h(
        "div.table-frame",
        null,
        h(
          "table.table",
          null,
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              h("th", { scope: "col" }, t("product")),
              h("th.number", { scope: "col" }, t("quantity")),
              h("th.number", { scope: "col" }, t("unitPrice")),
              h("th.number", { scope: "col" }, t("amount")),
            ),
          ),
          h(
            "tbody",
            null,
            receipt.lines.map((it) =>
              h(
                "tr",
                null,
                h("th", { scope: "row" }, it.title),
                h("td.number", null, it.quantity),
                h("td.number", null, money(it.unitPrice)),
                h("td.number", null, money(it.net)),
              )
            ),
          ),
        ),
      ),
      totals(receipt, { isShipped: true }),
      h("p.soft.small-text", null, t("paidWith", { method: paidWith(receipt.paidWith) })),
    ),
  );
}

/** @param {string} method */
const paidWith = (method) => method === "test" ? t("paidTest") : method[0].toUpperCase() + method.slice(1);
