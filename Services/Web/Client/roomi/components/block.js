// @ts-check
import { block } from "../../shared/chat/blocks.js";
import { go } from "../../shared/router.js";
import { countAgain } from "../counts.js";
import { t } from "../screen-strings.js";

/** What a block means in Roomi. @param {string} name */
export const blockMessage = (name) => t("blockText", { name });

/** After a block, match and conversation have ended, and neither sees the other again. */
export async function afterBlock() {
  await go("/matches", { replace: true });
  await countAgain("messages", "likes");
}

/** @param {string} userID @param {string} name */
export async function blockMatch(userID, name) {
  if (await block(userID, name, blockMessage(name))) await afterBlock();
}
