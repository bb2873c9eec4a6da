// @ts-check
/** The messages of a conversation, the latest at the bottom and in sight. */
import { confirmDialog } from "../components/dialog.js";
import { actionButton } from "../components/form.js";
import { icon } from "../components/icon.js";
import { picture } from "../components/picture.js";
import { problemText } from "../components/states.js";
import { toast } from "../components/toast.js";
import { date, time } from "../language.js";
import { computed, each, effect, h, untracked } from "../view.js";
import { deliveryOf, groupingOf } from "./conversation.js";
import { t } from "./strings.js";

/** @import { ChatRoom } from "./room.js" */
/** @import { ShownMessage } from "./conversation.js" */

/**
 * @param {ChatRoom} room
 * @param {string} name of the other side
 * @param {(message: ShownMessage) => Node | undefined} [cardOf] what the app shows of a message instead of its text
 */
export function bubbles(room, name, cardOf) {
  const grouped = computed(() =>
    room.messages.get().map((message, index, all) => ({ message, ...groupingOf(message, all[index - 1]) }))
  );
  const lastOwn = computed(() => room.messages.get().findLast((it) => it.authorID === room.me && !it.isDeleted)?.id);
  const list = h(
    "ol.bubbles",
    { role: "list", "aria-label": t("messages") },
    each(grouped, (it) => it.message.id, bubble),
  );
  const view = h(
    "div.chat-scroll",
    { tabindex: 0, role: "region", "aria-label": t("conversationWith", { name }) },
    () => room.hasEarlier.get() && h("p.list-more", null, actionButton({ label: t("earlier"), run: loadEarlier })),
    () => room.messages.get().length === 0 && h("p.chat-empty.soft", null, t("sayHello", { name })),
    list,
    h(
      "p.typing",
      { role: "status" },
      () =>
        room.isTyping.get() && [
          h("span.typing-dots", { "aria-hidden": "true" }, h("span"), h("span"), h("span")),
          h("span.visually-hidden", null, t("isTyping", { name })),
        ],
    ),
  );

  /** Earlier messages push down what is read, and the place in it stays. */
  async function loadEarlier() {
    const fromEnd = view.scrollHeight - view.scrollTop;
    await room.loadEarlier();
    requestAnimationFrame(() => view.scrollTop = view.scrollHeight - fromEnd);
  }

  effect(() => {
    const last = room.messages.get().at(-1);
    room.isTyping.get();
    const isNear = view.scrollHeight - view.scrollTop - view.clientHeight < 160;
    if (isNear || last?.authorID === room.me) requestAnimationFrame(() => view.scrollTop = view.scrollHeight);
  });

  /** @param {import("../view.js").State<{ message: ShownMessage, beginsDay: boolean, beginsGroup: boolean }>} item */
  function bubble(item) {
    const isMine = untracked(() => item.get().message.authorID === room.me);
    // other messages change their places, and this one stays as it is
    const shown = computed(() => item.get().message);
    const message = () => shown.get();
    const remove = async () => {
      const isSure = await confirmDialog({ title: t("deleteMessage"), confirm: t("deleteConfirm"), isDangerous: true });
      if (isSure) await room.remove(message().id).catch((error) => toast(problemText(error), { kind: "error" }));
    };
    return h(
      "li.bubble-row",
      { class: () => [isMine ? "is-mine" : "", item.get().beginsGroup ? "begins" : ""].join(" ") },
      () => item.get().beginsDay && h("p.chat-day", null, dayText(message().sentAt)),
      h(
        "div.bubble-line",
        null,
        h(
          "div.bubble",
          { class: () => message().isDeleted ? "is-deleted" : isPlain(message()) ? "is-plain" : "" },
          h("span.visually-hidden", null, t(isMine ? "youWrote" : "theyWrote", { name })),
          () => content(message(), cardOf),
          h("time.bubble-time", { datetime: () => message().sentAt }, () => time(message().sentAt)),
        ),
        () =>
          isMine && message().sequence !== undefined && !message().isDeleted && !message().offer &&
          h("button.button.quiet.icon-only.bubble-delete", {
            type: "button",
            "aria-label": t("deleteNamed", { text: message().text ?? "" }),
            onclick: remove,
          }, icon("trash")),
      ),
      () =>
        isMine && (message().isFailed || message().id === lastOwn.get()) &&
        h("p.bubble-state", { class: message().isFailed ? "is-failed" : "" }, () =>
          stateText(message(), room.other.get())),
      () =>
        message().isFailed &&
        actionButton({ label: t("sendAgain"), icon: "refresh", class: "small", run: () => room.send(message()) }),
    );
  }

  return view;
}

/** Offers and pictures have frames of their own. @param {ShownMessage} message */
const isPlain = ({ offer, media }) => Boolean(offer) || media.length > 0;

/** @param {ShownMessage} message @param {((message: ShownMessage) => Node | undefined) | undefined} cardOf */
function content(message, cardOf) {
  if (message.isDeleted) return t("messageDeleted");
  const pictures = message.media.map((id) => picture(id, { alt: t("photo"), sizes: "320px", ratio: "4 / 3" }));
  return cardOf?.(message) ?? [pictures, message.text];
}

const STATES = /** @type {const} */ ({
  failed: "stateFailed",
  sending: "stateSending",
  sent: "stateSent",
  delivered: "stateDelivered",
  read: "stateRead",
});

/** @param {ShownMessage} message @param {Parameters<typeof deliveryOf>[1]} other */
const stateText = (message, other) => t(STATES[deliveryOf(message, other)]);

/** @param {string} at */
function dayText(at) {
  const days = Math.round((startOfDay(new Date()) - startOfDay(new Date(at))) / 86_400_000);
  return days === 0 ? t("today") : days === 1 ? t("yesterday") : date(at, { dateStyle: "full" });
}

/** @param {Date} day */
const startOfDay = (day) => new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
