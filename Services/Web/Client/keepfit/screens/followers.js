// @ts-check
import { call, pages, Problem } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { personPath, personRow } from "../people.js";
import { t } from "../strings.js";
import { withRelations } from "./people.js";

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
  const list = paged((signal) => withRelations(related({ [params.side]: person.id, limit: 30 }, signal), signal));
  return h(
    "div.stack",
    null,
    h("p", null, h("a.back-link", { href: link(personPath(person.id)) }, icon("back"), person.displayName)),
    h("h1", null, t(isFollowers ? "followers" : "followsWhom")),
    listView(list, {
      key: (it) => it.person.id,
      label: t(isFollowers ? "followers" : "followsWhom"),
      render: (found) => personRow(found.get().person, found.get().relation),
      empty: { icon: "people", title: t(isFollowers ? "noFollowers" : "followsNone") },
    }),
  );
}

/**
 * @param {Record<string, any>} args
 * @param {AbortSignal} signal
 */
async function* related(args, signal) {
  for await (const page of pages(/** @type {any} */ ("GET /v1/follows"), args, { signal })) {
    yield /** @type {any[]} */ (page).map((it) => it.user ?? { id: it.userID, displayName: t("someone") });
  }
}
