// @ts-check
import { call, pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { problemText } from "../../shared/components/states.js";
import { tabs } from "../../shared/components/tabs.js";
import { toast } from "../../shared/components/toast.js";
import { relative } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { go, link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { countAgain } from "../counts.js";
import { nameAndAge, nameOf, placeText } from "../labels.js";
import { showMatch } from "../match-news.js";
import { cardFace } from "../components/card-face.js";
import { decisionButtons } from "../components/decision-buttons.js";
import { openPerson } from "../components/person-dialog.js";
import { scoreBadge } from "../components/person.js";
import { completeProfile } from "../profile.js";
import { t } from "../screen-strings.js";

/** @import { RoommateLike } from "../../../Types/api.d.ts" */
/** @typedef {"received" | "given"} Direction */

export const load = completeProfile;

/**
 * Who likes the user, to answer; and whom the user likes.
 * @param {unknown} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function likesScreen(_, { query }) {
  return h(
    "div",
    null,
    h("header.page-header", null, h("h1", null, t("likes"))),
    tabs({
      label: t("likes"),
      selected: query.get("list") === "given" ? "given" : "received",
      onselect: (id) => history.replaceState(history.state, "", link("/likes", { list: id === "given" ? id : "" })),
      tabs: [
        { id: "received", label: t("likesYou"), content: () => likes("received") },
        { id: "given", label: t("yourLikes"), content: () => likes("given") },
      ],
    }),
  );
}

/** @param {Direction} direction */
function likes(direction) {
  const isReceived = direction === "received";
  const feed = paged((signal) => pages("GET /v1/roommates/likes", { direction, limit: 30 }, { signal }));
  on(["roommate.matched", "resync"], feed.reload);

  /** @param {RoommateLike} like @param {"like" | "dislike"} decision */
  async function decide({ card }, decision) {
    try {
      const body = { userID: card.userID, decision };
      const { isMatch, match } = await call("POST /v1/roommates/swipes", { body });
      feed.items.update((all) => all.filter((it) => it.card.userID !== card.userID));
      countAgain("likes");
      if (isMatch && match) showMatch(card.userID, match);
      else if (!isReceived) toast(t("likeTakenBack", { name: nameOf(card) }));
    } catch (error) {
      toast(problemText(error), { kind: "error" });
    }
  }

  return listView(feed, {
    key: (it) => it.card.userID,
    label: t(isReceived ? "likesYou" : "yourLikes"),
    class: "cards people-cards",
    empty: {
      icon: "heart",
      title: t(isReceived ? "noLikesYou" : "noYourLikes"),
      message: t(isReceived ? "noLikesYouHint" : "noYourLikesHint"),
      action: h("button.button.primary", { type: "button", onclick: () => go("/") }, t("toDeck")),
    },
    render: (item) => {
      const like = item.get();
      const { card } = like;
      const open = async () => {
        const decision = await openPerson(card, { canDecide: isReceived });
        if (decision) decide(like, decision);
      };
      return h(
        "article.person-card",
        { "aria-label": nameAndAge(card) },
        h(
          "div.person-card-face",
          null,
          cardFace({
            name: nameAndAge(card),
            photo: card.photo,
            lines: [placeText(card)],
            chips: [],
            badge: h("div.card-badges", null, scoreBadge(card.score)),
          }),
          h("button.card-open", {
            type: "button",
            "aria-label": t("moreAbout", { name: nameOf(card) }),
            onclick: open,
          }),
        ),
        h("p.soft.small-text", null, t(isReceived ? "likedYou" : "youLiked", { when: relative(like.likedAt) })),
        isReceived
          ? decisionButtons({ decide: (decision) => decide(like, decision) })
          : h("button.button.wide", { type: "button", onclick: () => decide(like, "dislike") }, t("takeBack")),
      );
    },
  });
}
