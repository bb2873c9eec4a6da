// @ts-check
/** Who follows whom: the button that follows, rows of people with it, and the caller's relationships. */
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { avatar } from "../../shared/components/picture.js";
import { announce } from "../../shared/components/toast.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { effect, h, state, untracked } from "../../shared/view.js";
import { personPath } from "../people.js";
import { t } from "../screen-strings.js";

/** @import { Relationship } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */
/** @import { Person } from "../people.js" */

/**
 * Follows and unfollows; the number of followers is changed with it.
 * @param {State<Relationship>} relation
 * @param {string} name of the person
 */
export function followButton(relation, name) {
  const isOn = () => relation.get().isFollowing;
  return actionButton({
    label: () => t(isOn() ? "following" : "follow"),
    icon: () => isOn() ? "check" : "add",
    class: () => isOn() ? "soft-accent" : "primary",
    props: { "aria-label": () => t(isOn() ? "unfollowPerson" : "followPerson", { name }) },
    run: async () => {
      const { userID, isFollowing } = relation.get();
      await call(`${isFollowing ? "DELETE" : "PUT"} /v1/follows/{userID}`, { userID });
      relation.update((it) => ({ ...it, isFollowing: !isFollowing, followers: it.followers + (isFollowing ? -1 : 1) }));
      announce(t(isFollowing ? "unfollowed" : "followed", { name }));
    },
  });
}

/**
 * A row of a list of people.
 * @param {Person} person
 * @param {(id: string) => State<Relationship> | undefined} relationTo
 */
export function personRow(person, relationTo) {
  const about = person.details?.bio || (person.username && `@${person.username}`);
  return h(
    "div.person-row",
    null,
    avatar(person),
    h(
      "div.grow",
      null,
      h(
        "p.row.is-tight",
        null,
        h("a.person-link", { href: link(personPath(person.id)) }, person.displayName),
        person.isInstructor && h("span.chip.is-accent", null, t("instructor")),
      ),
      about && h("p.soft.small-text.truncate", null, about),
    ),
    () => {
      const relation = relationTo(person.id);
      return relation && followButton(relation, person.displayName);
    },
  );
}

/**
 * The caller's relationships to the people of a list, which are asked for as the list grows.
 * @param {() => string[]} ids
 */
export function relationships(ids) {
  const known = state(/** @type {Map<string, State<Relationship>>} */ (new Map()));
  effect(() => {
    const added = ids().filter((it) => !untracked(() => known.get()).has(it));
    relationsTo(added).then(
      (found) =>
        known.update((it) =>
          new Map([...it, ...[...found].map(([id, relation]) => /** @type {const} */ ([id, state(relation)]))])
        ),
      () => {},
    );
  });
  return (/** @type {string} */ id) => known.get().get(id);
}

/**
 * The caller's relationships to people, by their id.
 * @param {string[]} ids
 * @param {AbortSignal} [signal]
 * @returns {Promise<Map<string, Relationship>>}
 */
export async function relationsTo(ids, signal) {
  const others = ids.filter((it) => it !== user.get()?.id);
  if (others.length === 0) return new Map();
  const { items } = await call("GET /v1/relations", { users: others.join(",") }, { signal });
  return new Map(items.map((it) => [it.userID, it]));
}
