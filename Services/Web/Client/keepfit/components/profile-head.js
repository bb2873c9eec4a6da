// @ts-check
/** The top of a profile: face, names, and how many follow. */
import { avatar } from "../../shared/components/picture.js";
import { number } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { word } from "../words.js";

/** @import { ProfileDetails } from "../../../Types/api.d.ts" */

/**
 * @param {{ id: string, displayName: string, username?: string, details: ProfileDetails }} person
 * @param {{ followers: () => number, following: () => number, actions: Node, chips?: () => any }} options
 */
export const profileHead = (person, { followers, following, actions, chips }) =>
  h(
    "header.profile-head",
    null,
    avatar(person, { size: "huge" }),
    h(
      "div.grow.stack.is-tight",
      null,
      h("h1", null, person.displayName),
      h(
        "p.row",
        null,
        person.username && h("span.soft", null, `@${person.username}`),
        person.details.fitnessLevel &&
          h("span.chip.is-accent", null, word("fitnessLevel", person.details.fitnessLevel)),
        chips,
      ),
      person.details.bio && h("p", null, person.details.bio),
      h(
        "p.row",
        null,
        h(
          "a.count-link",
          { href: link(`/explore/people/${person.id}/followers`) },
          () => [h("strong.number", null, number(followers())), " ", t("followersOf", { count: followers() })],
        ),
        h(
          "a.count-link",
          { href: link(`/explore/people/${person.id}/following`) },
          () => [h("strong.number", null, number(following())), " ", t("followingCount")],
        ),
      ),
    ),
    actions,
  );
