// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { h, state } from "../../shared/view.js";
import { exploreHeader, keepInAddress, searchField } from "../components/explore.js";
import { personRow, relationships } from "../components/relationships.js";
import { t } from "../screen-strings.js";

/**
 * Finds users by their names.
 * @param {void} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function peopleScreen(_, { query }) {
  const search = state(query.get("query") ?? "");
  const list = paged((signal) => pages("GET /v1/users", { query: search.get(), limit: 20 }, { signal }));
  const relationTo = relationships(() => list.items.get().map((it) => it.id));
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
      key: (it) => it.id,
      label: t("people"),
      render: (person) => personRow(person.get(), relationTo),
      empty: { icon: "people", title: t("noPeople"), message: t("noPeopleHint") },
    }),
  );
}
