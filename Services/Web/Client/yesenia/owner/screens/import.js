// @ts-check
import { call } from "../../../shared/api.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { tabs } from "../../../shared/components/tabs.js";
import { bytes, number } from "../../../shared/language.js";
import { h, onCleanUp, state } from "../../../shared/view.js";
import { t } from "../strings.js";

/** @import { ImportReport } from "../../../../Types/api.d.ts" */

/**
 * @typedef {"products" | "posts"} Kind
 * @type {Record<Kind, { operation: "POST /v1/products/import" | "POST /v1/posts/import", hint: string, columns: string }>}
 */
const KINDS = {
  products: {
    operation: "POST /v1/products/import",
    hint: t("importHint"),
    columns:
      "sourceID,type,title,description,sku,price,currency,taxClass,isShipped,weightGrams,images,video,onHand,variant",
  },
  posts: {
    operation: "POST /v1/posts/import",
    hint: t("importPostsHint"),
    columns: "sourceID,date,title,text,mediaLink",
  },
};

/** @param {unknown} _data @param {import("../../../shared/router.js").Visit} visit */
export default function importScreen(_data, { query }) {
  return h(
    "div.stack",
    null,
    h("h1", null, t("import")),
    tabs({
      label: t("import"),
      tabs: [
        { id: "products", label: t("products"), content: () => importer("products") },
        { id: "posts", label: t("blog"), content: () => importer("posts") },
      ],
      selected: query.get("of") === "posts" ? "posts" : "products",
    }),
  );
}

/** Takes a file: good rows are taken over, and each bad one is shown with what is wrong in it. @param {Kind} kind */
function importer(kind) {
  const { operation, hint, columns } = KINDS[kind];
  const report = state(/** @type {{ report: ImportReport, rows: string[] } | null} */ (null));
  const running = state("");
  const controller = new AbortController();
  onCleanUp(() => controller.abort());

  /** @param {{ file: File }} values */
  async function send({ file }) {
    report.set(null);
    running.set(t("importing", { name: file.name, size: bytes(file.size) }));
    try {
      const content = await file.text();
      const isJSON = /\.json$/i.test(file.name);
      const body = isJSON ? new Blob([content], { type: "application/json" }) : content;
      const answer = await call(operation, { body }, { signal: controller.signal });
      const rows = isJSON
        ? JSON.parse(content).map((/** @type {unknown} */ it) => JSON.stringify(it))
        : content.split(/\r?\n/);
      report.set({ report: answer, rows });
    } finally {
      running.set("");
    }
  }

  return h(
    "div.stack",
    null,
    h("p.soft", null, hint),
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
      h("p.columns-list", null, columns.split(",").map((it) => h("code.chip", null, it))),
    ),
    h(
      "div",
      { "aria-live": "polite" },
      () => running.get() && h("p.stack", null, running.get(), h("progress", { "aria-label": t("import") })),
      () => {
        const current = report.get();
        return current && result(current.report, current.rows);
      },
    ),
  );
}

/**
 * @param {ImportReport} report
 * @param {string[]} rows the lines of the file, or its items, to show what was refused
 */
function result({ created, updated, unchanged, rejected }, rows) {
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
              h("td.bad-row", null, rows[it.line - 1] ?? "–"),
              h("td", null, h("ul.errors", null, it.errors.map((error) => h("li", null, error)))),
            )
          ),
        ),
      ),
    ),
  );
}
