// @ts-check
import { call, pages } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { tabs } from "../../shared/components/tabs.js";
import { date } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { connectButton } from "../components/connect.js";
import { messageButton } from "../components/message-button.js";
import { mutualNote, personRow } from "../components/person-row.js";
import { t } from "../screen-strings.js";

/** @import { Relationship, UserConnection } from "../../../Types/api.d.ts" */
/** @import { Paged } from "../../shared/components/list.js" */
/** @typedef {UserConnection["status"]} Status */

/** @param {unknown} _ @param {import("../../shared/router.js").Visit} visit */
export default function connectionsScreen(_, { query }) {
  return h(
    "div.stack.prose",
    null,
    h(
      "header.spread",
      null,
      h("h1", null, t("connections")),
      h("a.button.primary", { href: link("/explore") }, icon("search"), t("explore")),
    ),
    tabs({
      label: t("connections"),
      selected: ["incoming", "outgoing"].find((it) => it === query.get("tab")),
      onselect: (id) =>
        history.replaceState(history.state, "", link("/connections", { tab: id === "accepted" ? "" : id })),
      tabs: [
        { id: "accepted", label: t("connections"), content: accepted },
        { id: "incoming", label: t("requests"), content: incoming },
        { id: "outgoing", label: t("sentRequests"), content: outgoing },
      ],
    }),
  );
}

/** @param {Status} status */
function listOf(status) {
  const list = paged((signal) => pages("GET /v1/connections", { status }, { signal }));
  on(["connection.*", "resync"], () => void list.reload());
  return list;
}

/** @param {Paged<UserConnection>} list @param {string} id */
const without = (list, id) => list.items.update((all) => all.filter((it) => it.id !== id));

function accepted() {
  const list = paged((signal) => withRelations(signal));
  on(["connection.*", "resync"], () => void list.reload());
  return listView(list, {
    key: (it) => it.connection.id,
    label: t("connections"),
    render: (it) => {
      const { connection: { user, userID, since }, relation } = it.get();
      return personRow(user, {
        note: [` · ${t("connectedSince", { date: date(since) })}`, mutualNote(relation)],
        actions: [messageButton(userID), relation && connectButton(relation)],
      });
    },
    empty: { icon: "people", title: t("noConnections"), message: t("noConnectionsHint") },
  });
}

/** @param {AbortSignal} signal */
async function* withRelations(signal) {
  for await (const items of pages("GET /v1/connections", { status: "accepted", limit: 50 }, { signal })) {
    const users = items.map((it) => it.userID).join(",");
    /** @type {Relationship[]} */
    const relations = users ? (await call("GET /v1/relations", { users }, { signal })).items : [];
    yield items.map((connection) => ({
      connection,
      relation: relations.find((it) => it.userID === connection.userID),
    }));
  }
}

function incoming() {
  const list = listOf("incoming");
  return listView(list, {
    key: (it) => it.id,
    label: t("requests"),
    render: (it) => {
      const { id, user, note } = it.get();
      const accept = () => call("POST /v1/connections/{id}/accept", { id }).then(() => without(list, id));
      const decline = () => call("POST /v1/connections/{id}/decline", { id }).then(() => without(list, id));
      return personRow(user, {
        note: note && ` · “${note}”`,
        actions: [
          actionButton({ label: t("acceptConnection"), class: "primary", icon: "check", run: accept }),
          actionButton({ label: t("decline"), run: decline }),
        ],
      });
    },
    empty: { icon: "people", title: t("noRequests"), message: t("noRequestsHint") },
  });
}

function outgoing() {
  const list = listOf("outgoing");
  return listView(list, {
    key: (it) => it.id,
    label: t("sentRequests"),
    render: (it) => {
      const { id, user } = it.get();
      const withdraw = () => call("DELETE /v1/connections/{id}", { id }).then(() => without(list, id));
      return personRow(user, { actions: actionButton({ label: t("withdraw"), run: withdraw }) });
    },
    empty: { icon: "send", title: t("noSentRequests"), message: t("noSentRequestsHint") },
  });
}
