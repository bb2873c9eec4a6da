// @ts-check
/** Chooses a connection to write to. */
import { pages } from "../../shared/api.js";
import { writeTo } from "../../shared/chat/write-to.js";
import { openDialog } from "../../shared/components/dialog.js";
import { listView, paged } from "../../shared/components/list.js";
import { avatar } from "../../shared/components/picture.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { personName } from "./listings.js";

export async function newMessage() {
  const userID = await openDialog({ title: t("newMessage"), build: chooser });
  if (userID) await writeTo(userID);
}

/** @param {(userID?: string) => void} close */
function chooser(close) {
  const wanted = state("");
  const list = paged((signal) => pages("GET /v1/connections", { status: "accepted" }, { signal }));
  const search = h("input.input", {
    type: "search",
    "aria-label": t("searchConnections"),
    placeholder: t("searchConnections"),
    oninput: () => wanted.set(search.value.toLowerCase()),
  });
  return h(
    "div.stack",
    null,
    search,
    listView(list, {
      key: (it) => it.id,
      label: t("connections"),
      render: (it) =>
        h(
          "button.person-choice",
          {
            type: "button",
            hidden: () => !personName(it.get().user).toLowerCase().includes(wanted.get()),
            onclick: () => close(it.get().userID),
          },
          avatar(it.get().user, { size: "small" }),
          h("strong", null, personName(it.get().user)),
        ),
      empty: {
        icon: "people",
        title: t("noConnections"),
        message: t("noConnectionsHint"),
        action: h("a.button", { href: link("/explore"), onclick: () => close() }, t("explore")),
      },
    }),
  );
}
