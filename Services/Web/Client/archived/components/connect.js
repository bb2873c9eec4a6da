// @ts-check
/** Asking for a connection, and answering. */
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { state } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @import { Relationship } from "../../../Types/api.d.ts" */

/**
 * A button for the next step with a person.
 * @param {Relationship} loaded
 */
export function connectButton(loaded) {
  const { userID } = loaded;
  const relation = state(loaded);
  const reload = async () => relation.set(await call("GET /v1/relations/{userID}", { userID }));
  const request = () => call("POST /v1/connections", { body: { userID } }).then(reload);
  const remove = async () => {
    const id = relation.get().connectionID;
    const question = {
      title: t("removeConnection"),
      message: t("removeConnectionHint"),
      confirm: t("remove"),
      isDangerous: true,
    };
    if (!id || (relation.get().connection === "connected" && !await confirmDialog(question))) return;
    await call("DELETE /v1/connections/{id}", { id });
    await reload();
  };
  const accept = async () => {
    const id = relation.get().connectionID;
    if (id) await call("POST /v1/connections/{id}/accept", { id }).then(reload);
  };
  return () => {
    switch (relation.get().connection) {
      case "connected":
        return actionButton({ label: t("connected"), icon: "check", class: "soft-accent", run: remove });
      case "incoming":
        return actionButton({ label: t("acceptConnection"), icon: "check", class: "primary", run: accept });
      case "requested":
        return actionButton({ label: t("withdraw"), run: remove });
      default:
        return actionButton({ label: t("connect"), icon: "add", class: "primary", run: request });
    }
  };
}
