// @ts-check
import { confirmDialog } from "../shared/components/dialog.js";
import { problemText } from "../shared/components/states.js";
import { toast } from "../shared/components/toast.js";
import { signOut } from "../shared/session.js";
import { isOpen, openStudy, study } from "./study.js";
import { session } from "./study/sessions.js";
import { t } from "./screen-strings.js";

/**
 * Signs out: asks when something has not been sent, and deletes the data from this device.
 * @returns {Promise<boolean>} `false`: there is nothing more to do
 */
export async function leave() {
  if (!isOpen()) return true;
  const { store, sync } = study();
  session.end();
  if (store.pending.get() > 0 && navigator.onLine) await sync.run();
  const count = store.pending.get();
  if (count > 0) {
    const isSure = await confirmDialog({
      title: t("unsentTitle"),
      message: t("unsentMessage", { count }),
      confirm: t("signOutAnyway"),
      isDangerous: true,
    });
    if (!isSure) return false;
  }
  try {
    // the session ends first: without a connection, nothing is deleted
    await signOut();
  } catch (error) {
    toast(problemText(error), { kind: "error" });
    return false;
  }
  await openStudy(null);
  await store.erase();
  return false;
}
