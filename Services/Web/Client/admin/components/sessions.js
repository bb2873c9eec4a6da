// @ts-check
/** Where a person is signed in, for staff. */
import { call, pages } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime, relative } from "../../shared/language.js";
import { hasRole } from "../../shared/session.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { APPS } from "../names.js";
import { t } from "../strings.js";
import { entry } from "./entry.js";

/** @param {string} id of the account */
export function sessionList(id) {
  const list = paged((signal) => pages("GET /v1/admin/users/{id}/sessions", { id }, { signal }));
  const mayEnd = hasRole("administrator");

  /** @param {string} session */
  async function end(session) {
    await withProof(() => call("DELETE /v1/admin/users/{id}/sessions/{session}", { id, session }));
    list.items.update((all) => all.filter((it) => it.id !== session));
    toast(t("sessionEnded"), { kind: "success" });
  }

  async function endAll() {
    const question = { title: t("endSessionsQuestion"), message: t("endSessionsHint"), confirm: t("endSessions") };
    if (!await confirmDialog({ ...question, isDangerous: true })) return;
    await withProof(() => call("DELETE /v1/admin/users/{id}/sessions", { id }));
    list.items.set([]);
    toast(t("sessionsEnded"), { kind: "success" });
  }

  return h(
    "div.stack",
    null,
    listView(list, {
      key: (it) => it.id,
      label: t("sessions"),
      empty: { icon: "signout", title: t("noSessions") },
      render: (item) => {
        const { id: session, app, deviceName, deviceModel, appVersion, address, createdAt, lastUsedAt } = item.get();
        return entry({
          title: deviceName ?? deviceModel ?? t("unknownDevice"),
          details: [
            APPS[app],
            appVersion,
            address,
            t("since", { date: dateTime(createdAt) }),
            t("lastUsed", { when: relative(lastUsedAt) }),
          ],
          end: mayEnd && actionButton({ label: text("signOut"), class: "small", run: () => end(session) }),
        });
      },
    }),
    () =>
      mayEnd && list.items.get().length > 1 &&
      h(
        "div.row",
        null,
        actionButton({ label: t("endSessions"), icon: "signout", class: "dangerous", run: endAll }),
      ),
  );
}
