// @ts-check
/** Names of the people whose ids the API has in orders, reports and the audit trail. */
import { call, Problem } from "../../shared/api.js";
import { link } from "../../shared/router.js";
import { hasRole, user } from "../../shared/session.js";
import { h, state } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Profile } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @type {Map<string, State<Profile | "unknown" | null>>} */
const known = new Map();

/**
 * A signal with the profile: `null` while it is being loaded, `unknown` if there is none any more.
 * @param {string} id
 */
export function personOf(id) {
  const person = known.get(id) ?? state(/** @type {Profile | "unknown" | null} */ (null));
  const self = user.get();
  if (self?.id === id) person.set(self);
  else if (!known.has(id)) {
    known.set(id, person);
    call("GET /v1/users/{id}", { id }).then(
      (it) => person.set(it),
      (error) => {
        person.set("unknown");
        if (!Problem.is(error)) reportError(error);
      },
    );
  }
  return person;
}

/** The name of a person, as text that comes when it is known. @param {string} id */
export const personName = (id) => () => {
  const person = personOf(id).get();
  return person === "unknown" ? t("unknownPerson") : person?.displayName ?? "…";
};

/** The name, with a way to the account for those who may see it. @param {string | undefined} id */
export function personLink(id) {
  if (!id) return t("unknownPerson");
  const name = personName(id);
  if (!hasRole("administrator", "support")) return h("span", null, name);
  return h("a", { href: link(`/people/accounts/${id}`) }, name);
}
