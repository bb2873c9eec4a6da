// @ts-check
import { countUnread, unreadMessages } from "../../shared/chat/unread.js";
import { icon } from "../../shared/components/icon.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { h, untracked } from "../../shared/view.js";
import { t } from "../strings.js";

/** Leads to the conversations, and says how many messages wait in them. */
export function messagesLink() {
  untracked(countUnread);
  on(["message.sent", "conversation.read", "resync"], countUnread);
  const label = () => unreadMessages.get() > 0 ? t("unreadMessages", { count: unreadMessages.get() }) : t("messages");
  return h(
    "a.button.quiet.icon-only.messages-link",
    { href: link("/messages"), "aria-label": label, title: label },
    icon("chat"),
    () =>
      unreadMessages.get() > 0 &&
      h("span.badge", { "aria-hidden": "true" }, unreadMessages.get() > 99 ? "99+" : unreadMessages.get()),
  );
}
