// @ts-check
import { conversationList, conversations } from "../../shared/chat/conversation-list.js";
import { t as chat } from "../../shared/chat/strings.js";
import { icon } from "../../shared/components/icon.js";
import { tabs } from "../../shared/components/tabs.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** Conversations with people of courses; those that strangers have begun apart. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function messagesScreen(_data, { query }) {
  return h(
    "div.stack.prose",
    null,
    h(
      "header.spread",
      null,
      h("h1", null, chat("messages")),
      h(
        "a.button.quiet.icon-only",
        { href: link("/messages/privacy"), "aria-label": chat("privacy") },
        icon("settings"),
      ),
    ),
    tabs({
      label: chat("messages"),
      selected: query.get("tab") === "requests" ? "requests" : "inbox",
      onselect: (id) => history.replaceState(history.state, "", link("/messages", { tab: id === "inbox" ? "" : id })),
      tabs: [
        { id: "inbox", label: chat("inbox"), content: inbox },
        { id: "requests", label: chat("requests"), content: requests },
      ],
    }),
  );
}

const inbox = () =>
  conversationList(conversations(), {
    empty: {
      icon: "chat",
      title: chat("noMessages"),
      message: t("noMessagesHint"),
      action: h("a.button.primary", { href: link("/courses") }, t("courses")),
    },
  });

const requests = () =>
  conversationList(conversations("requests"), {
    empty: { icon: "mail", title: chat("noRequests"), message: chat("noRequestsHint") },
  });
