// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { toast } from "../../shared/components/toast.js";
import { go } from "../../shared/router.js";
import { countAgain } from "../counts.js";
import { t } from "../more-strings.js";

/**
 * Blocks someone after a question: match and conversation end, and neither sees the other again.
 * @param {string} userID
 * @param {string} name
 */
export async function block(userID, name) {
  const isSure = await confirmDialog({
    title: t("blockTitle", { name }),
    message: t("blockText", { name }),
    confirm: t("block"),
    isDangerous: true,
  });
  if (!isSure) return;
  await call("PUT /v1/blocks/{userID}", { userID });
  await go("/matches", { replace: true });
  toast(t("blocked", { name }), { kind: "success" });
  await countAgain("messages", "likes");
}
