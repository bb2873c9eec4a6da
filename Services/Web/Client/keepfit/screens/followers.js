// @ts-check
import { call, pages, Problem } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { personPath } from "../people.js";
import { personRow, relationships } from "../components/relationships.js";
import { t } from "../screen-strings.js";

/** @import { Profile } from "../../../Types/api.d.ts" */
/** @import { Visit } from "../../shared/router.js" */

/** @param {Visit} visit */
export async function load({ params, signal }) {
  if (params.side !== "followers" && params.side !== "following") {
    throw new Problem({ status: 404, code: "page-not-found", title: "There is no such page" });
  }
  return await call("GET /v1/users/{id}", { id: params.id }, { signal });
}

/**
 * Who follows someone, or whom someone follows.
 * @param {Profile} person
 * @param {Visit} visit
 */
export default function followersScreen(person, { params }) {
  const isFollowers = params.side === "followers";
  const side = isFollowers ? { followers: person.id } : { following: person.id };
  const list = paged((signal) => pages("GET /v1/follows", { ...side, limit: 30 }, { signal }));
  const relationTo = relationships(() => list.items.get().map((it) => it.userID));
  const title = t(isFollowers ? "followers" : "followsWhom");
  return h(
    "div.stack",
    null,
    h("p", null, h("a.back-link", { href: link(personPath(person.id)) }, icon("back"), person.displayName)),
    h("h1", null, title),
    listView(list, {
      key: (it) => it.userID,
      label: title,
      render: (related) => {
        const { userID, user } = related.get();
        return personRow(user ?? { id: userID, displayName: t("someone") }, relationTo);
      },
      empty: { icon: "people", title: t(isFollowers ? "noFollowers" : "followsNone") },
    }),
  );
}
