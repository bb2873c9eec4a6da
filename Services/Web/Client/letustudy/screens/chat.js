// @ts-check
import { chatView, loadChat } from "../../shared/chat/chat-view.js";
import { refresh } from "../../shared/router.js";
import { t } from "../screen-strings.js";

/** @import { LoadedChat } from "../../shared/chat/chat-view.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ params: { id }, signal }) => loadChat(id, signal);

/** @param {LoadedChat} loaded */
export default (loaded) =>
  chatView(loaded, { blockMessage: (name) => t("blockMessage", { name }), onblocked: refresh });
