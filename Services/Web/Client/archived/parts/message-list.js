// @ts-check
/** The messages of a conversation, oldest first, with days between them. */
import { actionButton } from "../../shared/components/form.js";
import { picture } from "../../shared/components/picture.js";
import { date, time } from "../../shared/language.js";
import { user } from "../../shared/session.js";
import { each, h } from "../../shared/view.js";
import { t } from "../more-strings.js";
import { offerCard } from "./offer-card.js";

/** @import { Listing, Message } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/**
 * @param {import("./talk.js").Talk} talk
 * @param {Listing | null} listing
 */
export function messageList({ messages, hasEarlier, earlier, readByOther }, listing) {
  const isOwn = (/** @type {Message} */ it) => it.authorID === user.get()?.id;
  const isNewDay = (/** @type {Message} */ it) => {
    const all = messages.get();
    const before = all[all.findIndex((other) => other.id === it.id) - 1];
    return !before || date(before.sentAt) !== date(it.sentAt);
  };
  const lastOwn = () => messages.get().findLast((it) => isOwn(it))?.id;
  return h(
    "div.messages",
    { role: "log", "aria-label": t("messages"), tabindex: 0 },
    h(
      "div.messages-inside",
      null,
      () => hasEarlier.get() && actionButton({ label: t("earlierMessages"), class: "quiet", run: earlier }),
      () => messages.get().length === 0 && h("p.soft.messages-empty", null, t("sayHello")),
      each(messages, (it) => it.id, (item) =>
        h(
          "div.message",
          { class: isOwn(item.get()) ? "is-own" : "" },
          () => isNewDay(item.get()) && h("p.day", null, date(item.get().sentAt, { dateStyle: "full" })),
          () => content(item, listing),
          h(
            "p.message-time",
            null,
            time(item.get().sentAt),
            () => item.get().id === lastOwn() && readByOther.get() >= item.get().sequence && ` · ${t("seen")}`,
          ),
        )),
    ),
  );
}

/**
 * @param {State<Message>} item
 * @param {Listing | null} listing
 */
function content(item, listing) {
  const message = item.get();
  if (message.isDeleted) return h("p.bubble.soft", null, h("em", null, t("messageDeleted")));
  if (message.offer) return offerCard(message.offer, listing);
  return [
    message.media.map((id) =>
      picture(id, { alt: t("picture"), sizes: "320px", ratio: "4 / 3", class: "sent-picture" })
    ),
    message.text && h("p.bubble", null, message.text),
  ];
}
