// @ts-check
import { t as chat } from "../../shared/chat/strings.js";
import { writeTo } from "../../shared/chat/write-to.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { picture } from "../../shared/components/picture.js";
import { h } from "../../shared/view.js";
import { nameOf } from "../labels.js";
import { profile } from "../profile.js";
import { t } from "../screen-strings.js";

/** @import { RoommateMatch } from "../../../Types/api.d.ts" */

/** @param {RoommateMatch} match */
export function openMatch(match) {
  const card = match.profile?.card;
  const name = card ? nameOf(card) : match.user?.displayName ?? t("someone");
  openDialog({
    title: t("matchTitle"),
    build: (close) =>
      h(
        "div.match-dialog",
        null,
        h(
          "div.match-photos",
          { "aria-hidden": "true" },
          picture(profile.get()?.photos?.card, { alt: "", sizes: "9rem", isUrgent: true }),
          picture(card?.photo, { alt: "", sizes: "9rem", isUrgent: true }),
          h("span.match-heart", null, icon("heart")),
        ),
        h("p", { role: "status" }, t("matchText", { name })),
        h(
          "div.stack.match-actions",
          null,
          actionButton({
            label: chat("messageTo", { name }),
            icon: "chat",
            class: "primary wide",
            run: async () => {
              await writeTo(match.userID);
              close();
            },
          }),
          h("button.button.wide", { type: "button", onclick: () => close() }, t("keepLooking")),
        ),
      ),
  });
}
