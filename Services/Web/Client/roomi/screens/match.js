// @ts-check
import { call } from "../../shared/api.js";
import { presenceText } from "../../shared/chat/presence-text.js";
import { t as chat } from "../../shared/chat/strings.js";
import { writeTo } from "../../shared/chat/write-to.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { picture } from "../../shared/components/picture.js";
import { relative } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { nameOf } from "../labels.js";
import { blockMatch } from "../components/block.js";
import { gallery } from "../components/gallery.js";
import { personDetails, scoreBadge } from "../components/person.js";
import { completeProfile } from "../profile.js";
import { t } from "../screen-strings.js";

/** @import { RoommateMatch } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load(visit) {
  await completeProfile(visit);
  return call("GET /v1/roommates/matches/{userID}", { userID: visit.params.userID }, { signal: visit.signal });
}

/** The full profile of a match. @param {RoommateMatch} match */
export default function matchScreen({ userID, user, profile, matchedAt }) {
  const name = profile ? nameOf(profile.card) : user?.displayName ?? t("someone");
  return h(
    "div.match-page",
    null,
    h("a.button.quiet.back-link", { href: link("/matches") }, icon("back"), t("matches")),
    h(
      "div.match-photos-column",
      null,
      profile
        ? gallery([profile.photos.card, ...profile.photos.others], name)
        : picture(undefined, { alt: "", ratio: "3 / 4" }),
    ),
    h(
      "div.stack",
      null,
      h(
        "div",
        null,
        h("h1", null, profile ? t("nameAge", { name: profile.fullName, age: profile.card.age }) : name),
        h("p.soft.row", null, presenceText(userID), h("span", null, t("matchedWhen", { when: relative(matchedAt) }))),
      ),
      scoreBadge(profile?.card.score),
      h(
        "div.row",
        null,
        actionButton({
          label: chat("messageTo", { name }),
          icon: "chat",
          class: "primary",
          run: () => writeTo(userID),
        }),
        actionButton({ label: chat("block"), icon: "block", class: "dangerous", run: () => blockMatch(userID, name) }),
      ),
      profile ? personDetails(profile.card, "h2") : h("p.soft", null, t("profileGone")),
    ),
  );
}
