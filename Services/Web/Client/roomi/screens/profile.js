// @ts-check
import { icon } from "../../shared/components/icon.js";
import { date } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { age } from "../age.js";
import { word } from "../labels.js";
import { gallery } from "../components/gallery.js";
import { preferenceList } from "../components/person.js";
import { completeProfile } from "../profile.js";
import { t } from "../screen-strings.js";

/** @import { RoommateProfile } from "../../../Types/api.d.ts" */

export const load = completeProfile;

/** The user's own profile, and what only they or their matches see of it. @param {RoommateProfile} profile */
export default function profileScreen({ contact, identity, about, preferences, photos }) {
  const name = user.get()?.displayName ?? "";
  const fact = (/** @type {string} */ title, /** @type {string} */ value, /** @type {string} */ note) =>
    h("div", null, h("dt", null, title), h("dd", null, value, h("span.soft.small-text", null, note)));
  return h(
    "div",
    null,
    h(
      "header.page-header",
      null,
      h("h1", null, t("profile")),
      h("a.button.primary", { href: link("/profile/edit") }, icon("edit"), t("edit")),
    ),
    h(
      "div.match-page",
      null,
      h("div.match-photos-column", null, photos && gallery([photos.card, ...photos.others], name)),
      h(
        "div.stack",
        null,
        h("h2", null, t("nameAge", { name, age: age(identity?.birthday ?? "") })),
        h(
          "ul.person-facts",
          { role: "list" },
          preferences?.place?.city && h("li", null, icon("map"), preferences.place.city.name),
          about?.school && h("li", null, icon("book"), about.school),
          identity && identity.gender !== "undisclosed" &&
            h("li", null, icon("person"), word("gender", identity.gender)),
        ),
        about?.bio && h("p.person-bio", null, about.bio),
        preferences && preferenceList(preferences, t("yourPreferences")),
        h("h3", null, t("notOnCard")),
        h(
          "dl.preference-list",
          null,
          identity && fact(t("fullName"), identity.fullName, t("onlyMatches")),
          identity && fact(t("birthday"), date(identity.birthday), t("onlyAge")),
          contact && fact(t("phone"), contact.phone, t("onlyYou")),
          preferences?.place?.position && fact(t("position"), t("positionSet"), t("onlyDistance")),
        ),
      ),
    ),
  );
}
