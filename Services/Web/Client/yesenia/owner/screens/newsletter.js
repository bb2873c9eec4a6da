// @ts-check
import { call, pages } from "../../../shared/api.js";
import { confirmDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { listView, paged } from "../../../shared/components/list.js";
import { toast } from "../../../shared/components/toast.js";
import { dateTime, number } from "../../../shared/language.js";
import { h, state } from "../../../shared/view.js";
import { t } from "../strings.js";

/** @import { NewsletterIssue } from "../../../../Types/api.d.ts" */

/** Issues of the newsletter: a new one goes to all subscribers at once. */
export default function issuesScreen() {
  const issues = paged((signal) => pages("GET /v1/newsletter/issues", { limit: 20 }, { signal }));
  const sentCount = state(0);

  /** @param {{ subject: string, text: string }} body @param {{ key: string }} attempt */
  async function send(body, { key }) {
    if (!await confirmDialog({ title: t("sendQuestion"), message: t("sendHint"), confirm: t("sendIssue") })) return;
    const issue = await call("POST /v1/newsletter/issues", { body }, { key });
    issues.items.update((all) => [issue, ...all]);
    sentCount.update((it) => it + 1);
    toast(t("issueSent", { count: issue.recipients }), { kind: "success" });
  }

  const writing = () => {
    sentCount.get();
    return form({
      fields: [
        { name: "subject", label: t("subject"), required: true, props: { maxlength: 200 } },
        { name: "text", label: t("text"), kind: "textarea", required: true, props: { maxlength: 20000, rows: 10 } },
      ],
      submit: t("sendIssue"),
      onsubmit: send,
    });
  };
  return h(
    "div.stack",
    null,
    h("h1", null, t("newsletter")),
    h(
      "div.columns",
      null,
      h("section.card.stack", null, h("h2", null, t("newIssue")), writing),
      h(
        "section.stack",
        null,
        h("h2", null, t("issues")),
        listView(issues, {
          key: (it) => it.id,
          render: (issue) => h("div", null, () => row(issue.get())),
          label: t("issues"),
          empty: { icon: "mail", title: t("noIssues") },
        }),
      ),
    ),
  );
}

/** @param {NewsletterIssue} issue */
const row = ({ subject, recipients, sent, createdAt }) => [
  h("span.grow.row-text", null, h("strong", null, subject), h("span.soft.small-text", null, dateTime(createdAt))),
  h(
    "span.chip",
    { class: sent >= recipients ? "is-success" : "is-accent" },
    t("sentOf", { sent: number(sent), count: number(recipients) }),
  ),
];
