// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { date, relative } from "../../shared/language.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { line, section } from "../components/section.js";
import { t } from "../strings.js";

/** @import { SessionInfo } from "../../../Types/api.d.ts" */

/** @type {Record<SessionInfo["app"], string>} */
const APPS = {
  archived: "Archived",
  keepfit: "KeepFit",
  yesenia: "Yesenia Designs",
  roomi: "Roomi",
  letustudy: "LetuStudy",
  account: t("appAccount"),
  web: t("appWeb"),
};

export const load = async () => (await call("GET /v1/auth/sessions")).items;

/**
 * Where the user is signed in (docs/sessions.md).
 * @param {SessionInfo[]} loaded
 */
export default function devicesScreen(loaded) {
  const sessions = state(loaded);

  /** @param {SessionInfo} session */
  async function end({ id }) {
    await call("DELETE /v1/auth/sessions/{id}", { id });
    sessions.update((all) => all.filter((it) => it.id !== id));
    toast(t("sessionEnded"), { kind: "success" });
  }

  async function endOthers() {
    if (!await confirmDialog({ title: t("endOthersQuestion"), confirm: t("endOthers"), isDangerous: true })) return;
    await call("POST /v1/auth/logout", { scope: "others" });
    sessions.set(await load());
    toast(t("sessionsEnded"), { kind: "success" });
  }

  const deny = () =>
    openDialog({
      title: t("notMe"),
      build: (close) =>
        h(
          "div.stack",
          null,
          h("p", null, t("notMeHint")),
          form({
            fields: [{
              name: "token",
              label: t("mailCode"),
              required: true,
              props: { autocomplete: "off", autocapitalize: "none", spellcheck: "false" },
            }],
            submit: t("notMe"),
            isDangerous: true,
            oncancel: () => close(),
            onsubmit: async (body) => {
              await call("POST /v1/auth/sign-ins/deny", { body });
              close();
              toast(t("sessionsEnded"), { kind: "success" });
            },
          }),
        ),
    });

  return h(
    "div.stack.prose",
    null,
    h("div", null, h("h1", null, t("devices")), h("p.soft", null, t("devicesIntro"))),
    section(
      t("signedInAt"),
      null,
      () =>
        sessions.get().map((it) =>
          line({
            title: [
              it.deviceName ?? it.deviceModel ?? t("unknownDevice"),
              " ",
              it.isCurrent && h("span.chip.is-success", null, t("thisDevice")),
            ],
            detail: [
              [APPS[it.app], it.address, t("totpSince", { date: date(it.createdAt) })].filter(Boolean).join(" · "),
              ` · ${t("lastUsed", { when: relative(it.lastUsedAt) })}`,
            ],
            actions: !it.isCurrent &&
              actionButton({ label: text("signOut"), class: "small", run: () => end(it) }),
          })
        ),
      () =>
        sessions.get().length > 1 &&
        h(
          "div.row",
          null,
          actionButton({ label: t("endOthers"), icon: "signout", class: "dangerous", run: endOthers }),
        ),
    ),
    section(
      t("unusual"),
      t("unusualHint"),
      h("div.row", null, actionButton({ label: t("notMe"), icon: "shield", run: deny })),
    ),
  );
}
