// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { problemText } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { go } from "../../shared/router.js";
import { study } from "../study.js";
import { t } from "../screen-strings.js";

/** Leaves a set of someone else. @param {string} id */
export async function leaveSet(id) {
  const { store, sync } = study();
  if (
    !await confirmDialog({
      title: t("leaveSet"),
      message: t("leaveSetMessage"),
      confirm: t("leaveSet"),
      isDangerous: true,
    })
  ) return;
  try {
    await call("DELETE /v1/study-sets/{id}/shares/{userID}", { id, userID: store.user });
    await sync.run();
    await go("/sets", { replace: true });
  } catch (error) {
    toast(problemText(error), { kind: "error" });
  }
}
