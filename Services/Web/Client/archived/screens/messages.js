// @ts-check
import { conversationList, conversations } from "../../shared/chat/conversation-list.js";
import { t as chat } from "../../shared/chat/strings.js";
import { icon } from "../../shared/components/icon.js";
import { tabs } from "../../shared/components/tabs.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { activePeople } from "../components/active-people.js";
import { newMessage } from "../components/new-message.js";
import { t } from "../screen-strings.js";

/** @param {unknown} _ @param {import("../../shared/router.js").Visit} visit */
export default function messagesScreen(_, { query }) {
  return h(
    "div.stack.prose",
    null,
    h(
      "header.spread",
      null,
      h("h1", null, t("inbox")),
      h("button.button.primary", { type: "button", onclick: newMessage }, icon("edit"), t("newMessage")),
    ),
    activePeople(),
    tabs({
      label: t("inbox"),
      selected: query.get("tab") === "requests" ? "requests" : "inbox",
      onselect: (id) => history.replaceState(history.state, "", link("/messages", { tab: id === "inbox" ? "" : id })),
      tabs: [
        { id: "inbox", label: chat("messages"), content: inbox },
        { id: "requests", label: chat("requests"), content: requests },
      ],
    }),
  );
}

const inbox = () =>
  conversationList(conversations(), {
    empty: { icon: "inbox", title: chat("noMessages"), message: t("inboxEmptyHint") },
  });

const requests = () =>
  conversationList(conversations("requests"), {
    empty: { icon: "mail", title: chat("noRequests"), message: chat("noRequestsHint") },
  });
