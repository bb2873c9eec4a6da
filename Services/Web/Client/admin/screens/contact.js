// @ts-check
import { call, pages } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime } from "../../shared/language.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { chip } from "../components/entry.js";
import { choice, filters } from "../components/filters.js";
import { CONTACT_STATES } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { ContactMessage } from "../../../Types/api.d.ts" */

/** @type {Record<ContactMessage["state"], import("../components/entry.js").Tone>} */
const TONES = { open: "is-warning", answered: "is-success", closed: "" };

/**
 * @param {undefined} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function contactScreen(_, { query }) {
  const { values, element } = filters({
    query,
    onchange: () => list.reload(),
    fields: [choice("state", t("contactState"), CONTACT_STATES)],
  });
  const list = paged((signal) => pages("GET /v1/contact-messages", { ...values.get(), limit: 20 }, { signal }));
  const replace = (/** @type {ContactMessage} */ changed) =>
    list.items.update((all) => all.map((it) => it.id === changed.id ? changed : it));

  /** @param {ContactMessage} message */
  const answer = ({ id, email }) =>
    openDialog({
      title: t("answer"),
      build: (close) =>
        form({
          fields: [{
            name: "text",
            label: t("answerTo", { email }),
            kind: "textarea",
            required: true,
            props: { maxlength: 4000, rows: 8 },
          }],
          submit: t("answerSend"),
          oncancel: () => close(),
          onsubmit: async (body, { key }) => {
            replace(await call("POST /v1/contact-messages/{id}/answer", { id, body }, { key }));
            close();
            toast(t("answerSent"), { kind: "success" });
          },
        }),
    });

  /** @param {ContactMessage} message */
  async function close({ id, version, state }) {
    const body = { state: state === "closed" ? /** @type {const} */ ("open") : /** @type {const} */ ("closed") };
    replace(await call("PATCH /v1/contact-messages/{id}", { id, body }, { version }));
  }

  /** @param {ContactMessage} message */
  async function remove({ id }) {
    if (!await confirmDialog({ title: t("deleteMessage"), confirm: text("delete"), isDangerous: true })) return;
    await call("DELETE /v1/contact-messages/{id}", { id });
    list.items.update((all) => all.filter((it) => it.id !== id));
  }

  return sectionPage(
    "safety",
    { title: t("contact"), intro: t("contactIntro") },
    element,
    listView(list, {
      key: (it) => it.id,
      label: t("contact"),
      class: "stack",
      empty: { icon: "mail", title: t("noMessages"), message: t("otherFilters") },
      render: (item) =>
        h("article.card.stack", null, () => {
          const message = item.get();
          return [
            h(
              "div.spread",
              null,
              h("h2.entry-title", null, message.subject),
              chip(CONTACT_STATES[message.state], TONES[message.state]),
            ),
            h(
              "p.entry-details",
              null,
              h("span", null, `${message.firstName} ${message.lastName}`),
              h("span", null, message.email),
              h("span", null, dateTime(message.receivedAt)),
            ),
            h("p.quote", null, message.message),
            message.answer && [
              h("p.soft.small-text", null, t("answered", { date: dateTime(message.answer.at) })),
              h("p.quote", null, message.answer.text),
            ],
            h(
              "div.row",
              null,
              message.state === "open" &&
                actionButton({ label: t("answer"), icon: "send", class: "small primary", run: () => answer(message) }),
              actionButton({
                label: t(message.state === "closed" ? "contactReopen" : "contactClose"),
                class: "small",
                run: () => close(message),
              }),
              actionButton({ label: text("delete"), class: "small dangerous", run: () => remove(message) }),
            ),
          ];
        }),
    }),
  );
}
