// @ts-check
import { call, pages } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { connectButton } from "../components/connect.js";
import { mutualNote, personRow } from "../components/person-row.js";
import { t } from "../screen-strings.js";

/** @import { Profile, Relationship } from "../../../Types/api.d.ts" */

/** Profiles of others, to find people to work with. @param {unknown} _ @param {import("../../shared/router.js").Visit} visit */
export default function exploreScreen(_, { query }) {
  const wanted = state(query.get("query") ?? "");
  const list = paged((signal) => people(wanted.get(), signal));
  const search = h("input.input", {
    type: "search",
    name: "query",
    value: wanted.get(),
    "aria-label": t("searchPeople"),
    placeholder: t("searchPeople"),
  });
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    wanted.set(search.value.trim());
    history.replaceState(history.state, "", link("/explore", { query: wanted.get() }));
    list.reload();
  };
  return h(
    "div.stack.prose",
    null,
    h("header", null, h("h1", null, t("explore")), h("p.soft", null, t("exploreIntro"))),
    h(
      "form.filters",
      { role: "search", onsubmit: send },
      h("div.search-field", null, icon("search"), search),
      h("button.button", { type: "submit" }, text("search")),
    ),
    listView(list, {
      key: (it) => it.person.id,
      label: t("explore"),
      render: (it) => row(it.get()),
      empty: { icon: "search", title: t("noOneFound"), message: t("noOneFoundHint") },
    }),
  );
}

/**
 * @param {string} query
 * @param {AbortSignal} signal
 */
async function* people(query, signal) {
  for await (const found of pages("GET /v1/users", { query, limit: 30 }, { signal })) {
    const others = found.filter((it) => it.id !== user.get()?.id);
    const users = others.map((it) => it.id).join(",");
    const relations = users ? (await call("GET /v1/relations", { users }, { signal })).items : [];
    yield others.map((person) => ({ person, relation: relations.find((it) => it.userID === person.id) }));
  }
}

/** @param {{ person: Profile, relation: Relationship | undefined }} row */
const row = ({ person, relation }) =>
  personRow(person, { note: mutualNote(relation), actions: relation && connectButton(relation) });
