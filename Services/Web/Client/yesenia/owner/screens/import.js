// @ts-check
import { call } from "../../../shared/api.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { number } from "../../../shared/language.js";
import { link } from "../../../shared/router.js";
import { h, state } from "../../../shared/view.js";
import { t } from "../strings.js";

/** @import { ImportReport } from "../../../../Types/api.d.ts" */

const COLUMNS =
  "sourceID,type,title,description,sku,price,currency,taxClass,isShipped,weightGrams,images,video,onHand,variant";

/** Fills the shop from a file: good rows are taken over, and each bad one is shown with what is wrong in it. */
export default function importScreen() {
  const report = state(/** @type {{ report: ImportReport, lines: string[] } | null} */ (null));

  /** @param {{ file: File }} values */
  async function send({ file }) {
    report.set(null);
    const content = await file.text();
    const isJSON = /\.json$/i.test(file.name);
    const body = isJSON ? new Blob([content], { type: "application/json" }) : content;
    report.set({
      report: await call("POST /v1/products/import", { body }),
      lines: isJSON ? [] : content.split(/\r?\n/),
    });
  }

  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h(
        "div",
        null,
        h("p.eyebrow", null, h("a", { href: link("/products") }, t("products"))),
        h("h1", null, t("import")),
        h("p.soft", null, t("importHint")),
      ),
    ),
    h(
      "section.card",
      null,
      form({
        fields: [{
          name: "file",
          label: t("file"),
          kind: "file",
          required: true,
          hint: t("fileHint"),
          props: { accept: ".csv,.json" },
        }],
        submit: t("import"),
        onsubmit: send,
      }),
    ),
    h(
      "details.card.more",
      null,
      h("summary", null, t("columns")),
      h("p.columns-list", null, COLUMNS.split(",").map((it) => h("code.chip", null, it))),
    ),
    h("div", { "aria-live": "polite" }, () => {
      const current = report.get();
      return current && result(current.report, current.lines);
    }),
  );
}

/**
 * @param {ImportReport} report
 * @param {string[]} lines those of the file, to show what was refused
 */
function result({ created, updated, unchanged, rejected }, lines) {
  const counts = /** @type {const} */ ([["created", created], ["updated", updated], ["unchanged", unchanged], [
    "rejected",
    rejected.length,
  ]]);
  return h(
    "section.stack",
    null,
    h("h2", null, t("result")),
    h(
      "dl.counts",
      null,
      counts.map(([name, count]) =>
        h(
          "div.card",
          { class: { "is-bad": name === "rejected" && count > 0 } },
          h("dt", null, t(name)),
          h("dd.number", null, number(count)),
        )
      ),
    ),
    rejected.length === 0 ? h("p.notice.row", null, icon("check"), t("allTaken")) : h(
      "div.table-frame.card",
      { tabindex: 0, role: "region", "aria-label": t("badRows") },
      h(
        "table.table",
        null,
        h("caption", null, t("badRows")),
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            h("th", { scope: "col" }, t("line")),
            h("th", { scope: "col" }, t("row")),
            h("th", { scope: "col" }, t("wrong")),
          ),
        ),
        h(
          "tbody",
          null,
          rejected.map((it) =>
            h(
              "tr",
              null,
              h("th", { scope: "row" }, number(it.line)),
              h("td.bad-row", null, lines[it.line - 1] ?? "–"),
              h("td", null, h("ul.errors", null, it.errors.map((error) => h("li", null, error)))),
            )
          ),
        ),
      ),
    ),
  );
}
