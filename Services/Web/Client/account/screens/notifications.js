// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { reminderSection } from "../components/reminders.js";
import { section } from "../components/section.js";
import { t } from "../strings.js";

/** @import { Reminder, UserSettings, VersionedSettings } from "../../../Types/api.d.ts" */
/** @typedef {NonNullable<UserSettings["mutedNotifications"]>[number]} Kind */

/** Those of security are always sent. @type {[Kind, string][]} */
const KINDS = [
  ["messages", t("kindMessages")],
  ["connections", t("kindConnections")],
  ["auctions", t("kindAuctions")],
  ["auctionEnding", t("kindAuctionEnding")],
  ["payments", t("kindPayments")],
  ["dueCards", t("kindDueCards")],
  ["courses", t("kindCourses")],
  ["liveWorkouts", t("kindLiveWorkouts")],
  ["sharing", t("kindSharing")],
  ["reminders", t("kindReminders")],
  ["other", t("kindOther")],
];

export async function load() {
  const [settings, reminders] = await Promise.all([
    call("GET /v1/users/me/settings"),
    call("GET /v1/users/me/reminders", { limit: 100 }),
  ]);
  return { settings, reminders: reminders.items };
}

/**
 * What the user is notified of, and when.
 * @param {{ settings: VersionedSettings, reminders: Reminder[] }} loaded
 */
export default function notificationsScreen({ settings, reminders }) {
  let { version, ...current } = settings;

  /** @param {any} values */
  async function save({ notifications, kinds, from, until }) {
    /** @type {UserSettings} */
    const body = {
      ...current,
      notifications,
      mutedNotifications: KINDS.map(([kind]) => kind).filter((kind) => !kinds[kind]),
      quietHours: from && until ? { from, until, timeZone: zone() } : undefined,
    };
    const saved = await call("PUT /v1/users/me/settings", { body }, { version });
    ({ version, ...current } = saved);
    toast(t("saved"), { kind: "success" });
  }

  const muted = settings.mutedNotifications ?? [];
  return h(
    "div.stack.prose",
    null,
    h("div", null, h("h1", null, t("notifications")), h("p.soft", null, t("notificationsIntro"))),
    section(
      t("notificationsWhat"),
      t("securityAlways"),
      h(
        "div.fields-grid",
        null,
        form({
          fields: [
            { name: "notifications", label: t("notificationsOn"), kind: "checkbox", value: settings.notifications },
            ...KINDS.map(([kind, label]) => ({
              name: `kinds.${kind}`,
              label,
              kind: "checkbox",
              value: !muted.includes(kind),
            })),
            { name: "from", label: t("quietFrom"), kind: "time", value: settings.quietHours?.from },
            {
              name: "until",
              label: t("quietUntil"),
              kind: "time",
              hint: t("quietHint", { zone: settings.quietHours?.timeZone ?? zone() }),
              value: settings.quietHours?.until,
            },
          ],
          submit: text("save"),
          onsubmit: save,
        }),
      ),
    ),
    reminderSection(state(reminders)),
  );
}

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
