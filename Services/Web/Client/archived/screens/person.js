// @ts-check
import { call, pages } from "../../shared/api.js";
import { block } from "../../shared/chat/blocks.js";
import { t as chat } from "../../shared/chat/strings.js";
import { attempt } from "../../shared/components/attempt.js";
import { openDialog } from "../../shared/components/dialog.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { menu } from "../../shared/components/menu.js";
import { avatar } from "../../shared/components/picture.js";
import { tabs } from "../../shared/components/tabs.js";
import { date } from "../../shared/language.js";
import { go, link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { connectButton } from "../components/connect.js";
import { messageButton } from "../components/message-button.js";
import { personRow } from "../components/person-row.js";
import { trackRow } from "../components/track.js";
import { t } from "../screen-strings.js";

/** @import { Profile, Relationship } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { id }, signal }) {
  const isOwn = id === user.get()?.id;
  const [person, relation] = await Promise.all([
    call("GET /v1/users/{id}", { id }, { signal }),
    isOwn ? null : call("GET /v1/relations/{userID}", { userID: id }, { signal }),
  ]);
  return { person, relation };
}

/** Someone's profile with their beats and opens. @param {{ person: Profile, relation: Relationship | null }} loaded */
export default function personScreen({ person, relation }) {
  const { id, displayName, username, details, createdAt } = person;
  return h(
    "div.stack",
    null,
    h(
      "header.profile-head",
      null,
      avatar({ ...person, photo: details.photo }, { size: "huge" }),
      h(
        "div.stack.grow",
        null,
        h(
          "div",
          null,
          h("h1", null, displayName),
          h(
            "p.soft",
            null,
            username && `@${username} · `,
            t("memberSince", { date: date(createdAt, { month: "long", year: "numeric" }) }),
          ),
        ),
        details.bio && h("p.prose", null, details.bio),
        relation && relation.mutualConnections > 0 &&
          h(
            "button.link.mutual",
            { type: "button", onclick: () => showMutual(id) },
            t("mutual", {
              count: relation.mutualConnections,
            }),
          ),
        h(
          "div.row",
          null,
          relation ? [connectButton(relation), messageButton(id), personMenu(person)] : [
            h("a.button.primary", { href: link("/profile") }, icon("edit"), t("editProfile")),
            h("a.button", { href: link("/connections") }, icon("people"), t("connections")),
          ],
        ),
      ),
    ),
    tabs({
      label: t("listings"),
      tabs: [
        { id: "beats", label: t("beats"), content: () => listings(id, "beat") },
        { id: "opens", label: t("opens"), content: () => listings(id, "open") },
      ],
    }),
  );
}

/**
 * @param {string} owner
 * @param {"beat" | "open"} kind
 */
const listings = (owner, kind) =>
  listView(paged((signal) => pages("GET /v1/listings", { owner, kind }, { signal })), {
    key: (it) => it.id,
    render: trackRow,
    class: "tracks",
    label: t(kind === "beat" ? "beats" : "opens"),
    empty: {
      icon: "music",
      title: t("noListings"),
      action: owner === user.get()?.id
        ? h("a.button.primary", { href: link("/listings/new") }, icon("add"), t("sell"))
        : undefined,
    },
  });

/** @param {string} userID */
const showMutual = (userID) =>
  openDialog({
    title: t("mutualConnections"),
    build: (close) => {
      const list = paged((signal) => pages("GET /v1/connections/mutual/{userID}", { userID }, { signal }));
      return h(
        "div",
        { onclick: (/** @type {Event} */ event) => event.target instanceof HTMLAnchorElement && close() },
        listView(list, {
          key: (it) => it.userID,
          label: t("mutualConnections"),
          render: (it) => personRow(it.get().user),
          empty: { icon: "people", title: t("noConnections") },
        }),
      );
    },
  });

/** @param {Profile} person */
const personMenu = ({ id, displayName }) =>
  menu({
    label: t("moreActions"),
    items: () => [{
      label: chat("block"),
      icon: "block",
      isDangerous: true,
      run: () =>
        attempt(async () => {
          if (await block(id, displayName, t("blockHint"))) await go("/explore", { replace: true });
        }),
    }],
  });
