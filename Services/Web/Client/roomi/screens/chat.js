// @ts-check
import { call } from "../../shared/api.js";
import { chatView, loadChat } from "../../shared/chat/chat-view.js";
import { link } from "../../shared/router.js";
import { afterBlock, blockMessage } from "../components/block.js";
import { completeProfile } from "../profile.js";
import { t } from "../screen-strings.js";

/** @import { RoommateMatch } from "../../../Types/api.d.ts" */
/** @import { LoadedChat } from "../../shared/chat/chat-view.js" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load(visit) {
  await completeProfile(visit);
  const { signal, params: { id } } = visit;
  const [chat, matches] = await Promise.all([
    loadChat(id, signal),
    call("GET /v1/roommates/matches", { limit: 100 }, { signal }),
  ]);
  const match = matches.items.find((it) => it.userID === chat.conversation.participants[0]?.userID);
  return { chat, match };
}

/** @param {{ chat: LoadedChat, match?: RoommateMatch }} data */
export default ({ chat, match }) =>
  chatView(chat, {
    blockMessage,
    onblocked: afterBlock,
    photo: match?.profile?.card.photo,
    items: match ? [{ label: t("viewProfile"), icon: "person", href: link(`/matches/${match.userID}`) }] : [],
  });
