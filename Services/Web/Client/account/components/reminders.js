// @ts-check
/** Reminders that the user has set, such as for studying. */
import { call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { date, dateTime } from "../../shared/language.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { line, section } from "./section.js";

/** @import { AuthCreateReminderBody, Reminder } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @typedef {NonNullable<NonNullable<Reminder["repetition"]>["weekdays"]>[number]} Weekday */
/** @type {readonly Weekday[]} */
const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** The name of a day; the first of January 2024 was a Monday. @param {Weekday} day */
const dayName = (day) => date(new Date(2024, 0, 1 + WEEKDAYS.indexOf(day)), { weekday: "long" });

/** @param {State<Reminder[]>} reminders */
export function reminderSection(reminders) {
  /** @param {any} values */
  async function create({ title, day, time, repeats }, /** @type {string} */ key) {
    /** @type {AuthCreateReminderBody} */
    const body = {
      title,
      localTime: `${day}T${time}:00`,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      repetition: repetitionOf(repeats),
    };
    const reminder = await call("POST /v1/users/me/reminders", { body }, { key });
    reminders.update((all) => [...all, reminder]);
  }

  const add = () =>
    openDialog({
      title: t("reminderAdd"),
      build: (close) =>
        form({
          fields: [
            { name: "title", label: t("reminderTitle"), required: true, props: { maxlength: 120 } },
            { name: "day", label: t("day"), kind: "date", required: true, value: new Date().toLocaleDateString("sv") },
            { name: "time", label: t("time"), kind: "time", required: true, value: "18:00" },
            {
              name: "repeats",
              label: t("repeats"),
              kind: "select",
              options: [
                { value: "once", label: t("repeatsNot") },
                { value: "daily", label: t("repeatsDaily") },
                ...WEEKDAYS.map((it) => ({ value: it, label: t("repeatsOn", { day: dayName(it) }) })),
              ],
            },
          ],
          submit: text("add"),
          oncancel: () => close(),
          onsubmit: async (values, { key }) => {
            await create(values, key);
            close();
          },
        }),
    });

  /** @param {Reminder} reminder */
  async function remove({ id }) {
    await call("DELETE /v1/users/me/reminders/{id}", { id });
    reminders.update((all) => all.filter((it) => it.id !== id));
  }

  return section(
    t("reminders"),
    null,
    () =>
      reminders.get().length === 0 ? h("p.soft", null, t("noReminders")) : reminders.get().map((it) =>
        line({
          title: it.title,
          detail: [dateTime(it.dueAt), repetitionText(it)].filter(Boolean).join(" · "),
          actions: actionButton({
            label: text("delete"),
            class: "small",
            run: () => remove(it),
            props: { "aria-label": `${text("delete")}: ${it.title}` },
          }),
        })
      ),
    h("div.row", null, actionButton({ label: t("reminderAdd"), icon: "add", class: "soft-accent", run: add })),
  );
}

/**
 * @param {"once" | "daily" | Weekday} repeats
 * @returns {Reminder["repetition"]}
 */
function repetitionOf(repeats) {
  if (repeats === "once") return undefined;
  return repeats === "daily" ? { every: "daily" } : { every: "weekly", weekdays: [repeats] };
}

/** @param {Reminder} reminder */
function repetitionText({ repetition }) {
  if (!repetition) return "";
  if (repetition.every === "daily") return t("repeatsDaily");
  return (repetition.weekdays ?? []).map((it) => t("repeatsOn", { day: dayName(it) })).join(", ");
}
