// @ts-check
import { call, pages } from "../../shared/api.js";
import { actionButton, form } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { openDialog } from "../../shared/components/dialog.js";
import { icon } from "../../shared/components/icon.js";
import { dateTime } from "../../shared/language.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** Reminders to study, which the platform sends. */
export function reminders() {
  const list = paged((signal) => pages(/** @type {any} */ ("GET /v1/users/me/reminders"), {}, { signal }));
  const add = () =>
    openDialog({
      title: t("newReminder"),
      build: (close) =>
        form({
          fields: [
            { name: "title", label: t("title"), value: t("timeToStudy"), required: true, props: { maxlength: 120 } },
            { name: "localTime", label: t("when"), kind: "datetime-local", required: true },
            {
              name: "every",
              label: t("repeat"),
              kind: "select",
              value: "daily",
              options: /** @type {const} */ (["never", "daily", "weekly"]).map((value) => ({
                value,
                label: t(`repeat-${value}`),
              })),
            },
          ],
          submit: text("add"),
          oncancel: () => close(),
          onsubmit: async ({ title, localTime, every }) => {
            const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
            const repetition = every === "never" ? undefined : { every };
            await call("POST /v1/users/me/reminders", {
              body: { title, localTime: `${localTime}:00`, timeZone, repetition },
            });
            close();
            await list.reload();
          },
        }),
    });
  return h(
    "section.stack",
    null,
    h(
      "div.spread",
      null,
      h("h2", null, t("reminders")),
      h("button.button", { type: "button", onclick: add }, icon("add"), t("newReminder")),
    ),
    listView(list, {
      key: (/** @type {any} */ it) => it.id,
      label: t("reminders"),
      empty: { icon: "bell", title: t("noReminders"), message: t("noRemindersHint") },
      render: (/** @type {any} */ reminder) => {
        const { id, title, nextAt, localTime, repetition } = reminder.get();
        return h(
          "div",
          null,
          icon("bell"),
          h(
            "span.grow",
            null,
            title,
            h("br"),
            h(
              "span.soft.small-text",
              null,
              dateTime(nextAt ?? localTime),
              repetition && ` · ${t(`repeat-${/** @type {"daily" | "weekly"} */ (repetition.every)}`)}`,
            ),
          ),
          actionButton({
            label: text("delete"),
            class: "quiet small",
            run: async () => {
              await call("DELETE /v1/users/me/reminders/{id}", { id });
              await list.reload();
            },
          }),
        );
      },
    }),
  );
}
