// @ts-check
/** The connections who use the app at the moment. */
import { call } from "../../shared/api.js";
import { t as chat } from "../../shared/chat/strings.js";
import { writeTo } from "../../shared/chat/write-to.js";
import { avatar } from "../../shared/components/picture.js";
import { follow, on } from "../../shared/realtime.js";
import { effect, h, state } from "../../shared/view.js";
import { personName } from "./listings.js";

/** @import { UserConnection } from "../../../Types/api.d.ts" */

export function activePeople() {
  const people = state(/** @type {UserConnection[]} */ ([]));
  const active = state(/** @type {Set<string>} */ (new Set()));
  load().catch(() => {});

  async function load() {
    const { items } = await call("GET /v1/connections", { status: "accepted", limit: 50 });
    if (items.length === 0) return;
    people.set(items);
    const presence = await call("GET /v1/presence", { users: items.map((it) => it.userID).join(",") });
    active.set(new Set(presence.items.filter((it) => it.status === "active").map((it) => it.userID)));
  }

  effect(() => {
    if (people.get().length > 0) follow(...people.get().map((it) => `user:${it.userID}:presence`));
  });
  on("presence.changed", ({ user, status }) => {
    active.update((all) => new Set(status === "active" ? [...all, user] : [...all].filter((it) => it !== user)));
  });
  return () => {
    const present = people.get().filter((it) => active.get().has(it.userID));
    return present.length > 0 &&
      h(
        "section.active",
        { "aria-label": chat("activeNow") },
        h("h2.eyebrow", null, chat("activeNow")),
        h(
          "ul.active-list",
          { role: "list" },
          present.map((it) =>
            h(
              "li",
              null,
              h(
                "button.active-person",
                { type: "button", onclick: () => writeTo(it.userID) },
                h("span.active-mark", null, avatar(it.user)),
                h("span.small-text.truncate", null, personName(it.user)),
              ),
            )
          ),
        ),
      );
  };
}
