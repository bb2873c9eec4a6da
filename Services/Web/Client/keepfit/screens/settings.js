// @ts-check
import { addressOf, call } from "../../shared/api.js";
import { addressIn } from "../../shared/app.js";
import { appearanceControls } from "../../shared/components/appearance.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { date } from "../../shared/language.js";
import { reloadUser } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { hasHealthConsent } from "../components/health-consent.js";
import { decideOnHealthData } from "../components/personal-data.js";
import { t } from "../screen-strings.js";

/** @import { Consents, UserSettings, VersionedSettings } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ signal }) {
  const [settings, consents] = await Promise.all([
    call("GET /v1/users/me/settings", {}, { signal }),
    call("GET /v1/users/me/consents", {}, { signal }),
  ]);
  return { settings, consents };
}

/** @param {Awaited<ReturnType<typeof load>>} data */
export default function settingsScreen({ settings, consents }) {
  return h(
    "div.stack.narrow",
    null,
    h("h1", null, t("settings")),
    section(t("appearance"), appearanceControls()),
    section(t("notifications"), notificationForm(settings)),
    section(t("healthData"), healthData(consents)),
    section(
      t("account"),
      h("p.soft", null, t("accountHint")),
      h(
        "div.row",
        null,
        h("a.button", { href: addressIn("account", "/security") }, t("security")),
        h("a.button", { href: addressOf("GET /v1/users/me/export", {}), download: "keepfit.json" }, t("exportData")),
      ),
    ),
  );
}

/** @param {string} title @param {...Node} content */
const section = (title, ...content) => h("section.card.stack", null, h("h2", null, title), content);

/** The notifications that KeepFit sends. @type {readonly { kind: "liveWorkouts" | "sharing" | "reminders", label: "notifyLive" | "notifySharing" | "notifyReminders" }[]} */
const KINDS = [
  { kind: "liveWorkouts", label: "notifyLive" },
  { kind: "sharing", label: "notifySharing" },
  { kind: "reminders", label: "notifyReminders" },
];

/** @param {VersionedSettings} initial */
function notificationForm(initial) {
  let { version, ...settings } = initial;
  const muted = settings.mutedNotifications ?? [];
  const quiet = settings.quietHours;
  /** @param {any} values */
  async function save(values) {
    const others = muted.filter((it) => !KINDS.some(({ kind }) => kind === it));
    const { from, until } = values;
    /** @type {UserSettings} */
    const body = {
      ...settings,
      notifications: values.notifications,
      mutedNotifications: [...others, ...KINDS.filter(({ kind }) => !values[kind]).map((it) => it.kind)],
      quietHours: from && until
        ? { from, until, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }
        : undefined,
    };
    ({ version, ...settings } = await call("PUT /v1/users/me/settings", { body }, { version }));
    toast(t("savedChanges"), { kind: "success" });
  }
  return form({
    fields: [
      { name: "notifications", label: t("notifyAtAll"), kind: "checkbox", value: settings.notifications },
      ...KINDS.map(({ kind, label }) => ({
        name: kind,
        label: t(label),
        kind: "checkbox",
        value: !muted.includes(kind),
      })),
      { name: "from", label: t("quietFrom"), kind: "time", value: quiet?.from, hint: t("quietHint") },
      { name: "until", label: t("quietUntil"), kind: "time", value: quiet?.until },
    ],
    submit: text("save"),
    onsubmit: save,
  });
}

/** @param {Consents} initial */
function healthData(initial) {
  const consents = state(initial);
  const give = async () => consents.set(await decideOnHealthData(true));
  const withdraw = async () => {
    const isSure = await confirmDialog({
      title: t("withdrawQuestion"),
      message: t("withdrawHint"),
      confirm: t("withdraw"),
      isDangerous: true,
    });
    if (!isSure) return;
    consents.set(await decideOnHealthData(false));
    await reloadUser();
  };
  return h("div.stack", null, () => {
    const isGiven = hasHealthConsent(consents.get());
    const at = consents.get().current.find((it) => it.purpose === "healthData")?.decidedAt;
    return [
      h("p", null, t(isGiven ? "consentGiven" : "consentMissing")),
      at && h("p.soft.small-text", null, t("decidedAt", { day: date(at) })),
      h(
        "p",
        null,
        isGiven
          ? actionButton({ label: t("withdraw"), class: "dangerous", run: withdraw })
          : actionButton({ label: t("consent"), class: "primary", run: give }),
      ),
    ];
  });
}
