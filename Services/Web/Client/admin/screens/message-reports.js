// @ts-check
import { call, pages } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime } from "../../shared/language.js";
import { h } from "../../shared/view.js";
import { chip } from "../components/entry.js";
import { choice, filters } from "../components/filters.js";
import { personLink } from "../components/people.js";
import { REASONS, REPORT_STATES } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { Message, MessageReport } from "../../../Types/api.d.ts" */

/** @type {Record<MessageReport["state"], import("../components/entry.js").Tone>} */
const TONES = { open: "is-warning", inReview: "is-accent", resolved: "is-success", dismissed: "" };

/** What staff may make of a report in a state. @type {Record<MessageReport["state"], MessageReport["state"][]>} */
const NEXT = {
  open: ["inReview", "resolved", "dismissed"],
  inReview: ["resolved", "dismissed"],
  resolved: ["open"],
  dismissed: ["open"],
};

/**
 * @param {undefined} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function messageReportsScreen(_, { query }) {
  const { values, element } = filters({
    query,
    onchange: () => list.reload(),
    fields: [choice("state", t("reportState"), REPORT_STATES)],
  });
  const list = paged((signal) => pages("GET /v1/admin/message-reports", { ...values.get(), limit: 20 }, { signal }));

  /**
   * @param {MessageReport} report
   * @param {MessageReport["state"]} state
   */
  async function move({ id, version }, state) {
    const changed = await call("PATCH /v1/admin/message-reports/{id}", { id, body: { state } }, { version });
    list.items.update((all) => all.map((it) => it.id === id ? { ...it, ...changed } : it));
    toast(t("saved"), { kind: "success" });
  }

  return sectionPage(
    "safety",
    { title: t("messageReports"), intro: t("messageReportsIntro") },
    element,
    listView(list, {
      key: (it) => it.id,
      label: t("messageReports"),
      class: "cards-list stack",
      empty: { icon: "shield", title: t("noReports"), message: t("noReportsHint") },
      render: (item) =>
        h("article.card.stack", null, () => {
          const report = item.get();
          return [
            h(
              "div.spread",
              null,
              h("h2.entry-title", null, REASONS[report.reason]),
              chip(REPORT_STATES[report.state], TONES[report.state]),
            ),
            h(
              "p.entry-details",
              null,
              h("span", null, personLink(report.reporterID), ` ${t("reported")} `, personLink(report.reportedID)),
              h("span", null, dateTime(report.createdAt)),
            ),
            report.comment && h("p", null, report.comment),
            h("ul.timeline", { role: "list", "aria-label": t("messages") }, report.messages.map(quoted)),
            h(
              "div.row",
              null,
              NEXT[report.state].map((it) =>
                actionButton({
                  label: REPORT_STATES[it],
                  class: it === "resolved" ? "small primary" : "small",
                  run: () => move(report, it),
                })
              ),
            ),
          ];
        }),
    }),
  );
}

/** @param {Message} message */
const quoted = (message) =>
  h(
    "li",
    null,
    h("p.soft.small-text", null, personLink(message.authorID), ` · ${dateTime(message.sentAt)}`),
    h("p.quote", null, message.text ?? t("noText")),
  );
