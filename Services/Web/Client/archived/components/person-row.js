// @ts-check
/** A person in a list, with what can be done beside the name. */
import { avatar } from "../../shared/components/picture.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { personName } from "./listings.js";
import { t } from "../screen-strings.js";

/** @import { Profile, PublicName, Relationship } from "../../../Types/api.d.ts" */
/** @import { Child } from "../../shared/view.js" */

/**
 * @param {PublicName | Profile | undefined} person
 * @param {{ note?: Child, actions?: Child }} [more]
 */
export const personRow = (person, { note, actions } = {}) =>
  h(
    "article.person-row",
    null,
    avatar(person),
    h(
      "div.grow",
      null,
      h(
        "p",
        null,
        h(
          "strong",
          null,
          person ? h("a.person-link", { href: link(`/people/${person.id}`) }, personName(person)) : t("someone"),
        ),
      ),
      h("p.soft.small-text", null, person?.username && `@${person.username}`, note),
    ),
    h("div.row.person-actions", null, actions),
  );

/** @param {Relationship | undefined} relation */
export const mutualNote = (relation) =>
  relation && relation.mutualConnections > 0 ? ` · ${t("mutual", { count: relation.mutualConnections })}` : "";
