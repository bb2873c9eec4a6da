// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { h, state } from "../../shared/view.js";
import { exploreHeader, keepInAddress, searchField } from "../explore.js";
import { personRow, relationsTo } from "../people.js";
import { t } from "../strings.js";

/** @import { Person } from "../people.js" */
/** @import { Relationship } from "../../../Types/api.d.ts" */
/** @typedef {{ person: Person, relation: Relationship | undefined }} Found */

/**
 * @param {AsyncGenerator<Person[], void, void>} people
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Found[], void, void>}
 */
export async function* withRelations(people, signal) {
  for await (const page of people) {
    const relations = await relationsTo(page.map((it) => it.id), signal);
    yield page.map((person) => ({ person, relation: relations.get(person.id) }));
  }
}

/**
 * Finds users by their names.
 * @param {void} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function peopleScreen(_, { query }) {
  const search = state(query.get("query") ?? "");
  const list = paged((signal) =>
    withRelations(pages("GET /v1/users", { query: search.get(), limit: 20 }, { signal }), signal)
  );
  return h(
    "div.stack",
    null,
    exploreHeader("people"),
    h(
      "div.filters",
      { role: "search" },
      searchField({
        label: t("searchPeople"),
        value: search.get(),
        onsearch: (text) => {
          search.set(text);
          keepInAddress("/explore/people", { query: text });
          list.reload();
        },
      }),
    ),
    listView(list, {
      key: (it) => it.person.id,
      label: t("people"),
      render: (found) => personRow(found.get().person, found.get().relation),
      empty: { icon: "people", title: t("noPeople"), message: t("noPeopleHint") },
    }),
  );
}
