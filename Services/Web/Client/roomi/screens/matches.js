// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { relative } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { nameAndAge, placeText } from "../labels.js";
import { cardFace } from "../components/card-face.js";
import { scoreBadge } from "../components/person.js";
import { completeProfile } from "../profile.js";
import { t } from "../screen-strings.js";

export const load = completeProfile;

export default function matchesScreen() {
  const feed = paged((signal) => pages("GET /v1/roommates/matches", { limit: 30 }, { signal }));
  on(["roommate.matched", "resync"], feed.reload);
  return h(
    "div",
    null,
    h("header.page-header", null, h("h1", null, t("matches"))),
    listView(feed, {
      key: (it) => it.userID,
      label: t("matches"),
      class: "cards people-cards",
      empty: {
        icon: "people",
        title: t("noMatches"),
        message: t("noMatchesHint"),
        action: h("a.button.primary", { href: link("/") }, t("toDeck")),
      },
      render: (item) => {
        const { userID, user, profile, matchedAt } = item.get();
        const card = profile?.card;
        return h(
          "a.person-card.person-card-face",
          { href: link(`/matches/${userID}`) },
          cardFace({
            name: card ? nameAndAge(card) : user?.displayName ?? t("someone"),
            photo: card?.photo,
            lines: [card && placeText(card)],
            chips: [t("matchedWhen", { when: relative(matchedAt) })],
            badge: h("div.card-badges", null, scoreBadge(card?.score)),
          }),
        );
      },
    }),
  );
}
