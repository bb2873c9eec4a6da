// @ts-check
import { call, pages } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { avatar } from "../../shared/components/picture.js";
import { tabs } from "../../shared/components/tabs.js";
import { money, number, relative } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { activePeople } from "../parts/active-people.js";
import { personName } from "../parts/listings.js";
import { newMessage } from "../parts/new-message.js";
import { t } from "../more-strings.js";

/** @import { Conversation, Message } from "../../../Types/api.d.ts" */

/** @param {unknown} _ @param {import("../../shared/router.js").Visit} visit */
export default function inboxScreen(_, { query }) {
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
      onselect: (id) => history.replaceState(history.state, "", link("/inbox", { tab: id === "inbox" ? "" : id })),
      tabs: [
        { id: "inbox", label: t("messages"), content: () => folder("inbox") },
        { id: "requests", label: t("requests"), content: () => folder("requests") },
      ],
    }),
  );
}

/** @param {"inbox" | "requests"} folder */
function folder(folder) {
  const list = paged((signal) => pages("GET /v1/conversations", { folder }, { signal }));
  const refresh = async () => {
    const { items } = await call("GET /v1/conversations", { folder }).catch(() => ({ items: [] }));
    const ids = new Set(items.map((it) => it.id));
    if (items.length > 0) list.items.update((all) => [...items, ...all.filter((it) => !ids.has(it.id))]);
  };
  on(["message.*", "conversation.changed", "resync"], refresh);
  return listView(list, {
    key: (it) => it.id,
    render: (it) => row(it),
    label: t(folder === "inbox" ? "messages" : "requests"),
    empty: folder === "inbox"
      ? { icon: "inbox", title: t("inboxEmpty"), message: t("inboxEmptyHint") }
      : { icon: "mail", title: t("requestsEmpty"), message: t("requestsEmptyHint") },
  });
}

/** @param {import("../../shared/signals.js").State<Conversation>} item */
const row = (item) =>
  h(
    "a.talk-row",
    {
      href: link(`/inbox/${item.get().id}`),
      class: () => item.get().unreadCount > 0 ? "is-unread" : "",
    },
    () => avatar(item.get().participants[0]?.name),
    h(
      "span.grow.talk-text",
      null,
      h("span.talk-name", null, () =>
        item.get().participants[0] ? personName(item.get().participants[0].name) : t("someone")),
      h("span.soft.small-text.truncate", null, () =>
        summary(item.get().lastMessage)),
    ),
    h(
      "span.talk-side",
      null,
      h("span.soft.small-text", null, () =>
        relative(item.get().lastActivityAt)),
      () =>
        item.get().unreadCount > 0 &&
        h("span.count", null, number(item.get().unreadCount), h("span.visually-hidden", null, ` ${t("unread")}`)),
    ),
  );

/** @param {Message | undefined} message */
function summary(message) {
  if (!message) return t("noMessages");
  if (message.isDeleted) return t("messageDeleted");
  if (message.offer) return t("offerOf", { price: money(message.offer.amount) });
  const words = message.text ?? t("picture");
  return message.authorID === user.get()?.id ? t("youSaid", { text: words }) : words;
}
