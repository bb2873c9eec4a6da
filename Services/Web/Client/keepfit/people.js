// @ts-check
/** People: their names where the API names only ids. */
import { call } from "../shared/api.js";
import { link } from "../shared/router.js";
import { user } from "../shared/session.js";
import { h, state } from "../shared/view.js";
import { t } from "./strings.js";

/** @import { Profile, PublicName } from "../../Types/api.d.ts" */
/** @typedef {Pick<Profile, "id" | "displayName"> & Partial<Profile> & Partial<PublicName>} Person */

/** @type {Map<string, Promise<Person | null>>} */
const known = new Map();

/** Someone by id; `null` if the account is gone, or a block is between. @param {string} id */
export function findPerson(id) {
  const me = user.get();
  if (me?.id === id) return Promise.resolve(/** @type {Person} */ (me));
  const found = known.get(id) ?? call("GET /v1/users/{id}", { id }).catch(() => null);
  known.set(id, found);
  return found;
}

/** @param {string} id */
export const personPath = (id) => id === user.get()?.id ? "/profile" : `/explore/people/${id}`;

/**
 * The name of someone as a link, once it is known.
 * @param {string} id
 * @param {Person} [person]
 */
export function personLink(id, person) {
  const name = state(person?.displayName ?? "");
  if (!person) findPerson(id).then((it) => name.set(it?.displayName ?? t("someone")));
  return h("a.person-link", { href: link(personPath(id)) }, name);
}
