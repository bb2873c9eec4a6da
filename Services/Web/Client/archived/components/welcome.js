// @ts-check
/** Asks new users for a photo and a few words about themselves, until they have or do not want to. */
import { icon } from "../../shared/components/icon.js";
import { avatar } from "../../shared/components/picture.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { t } from "../strings.js";

const PLACE = "quintet.archived.welcomed";

export function welcome() {
  const account = user.get();
  const isDone = state(localStorage.getItem(PLACE) === account?.id);
  const close = () => {
    localStorage.setItem(PLACE, account?.id ?? "");
    isDone.set(true);
  };
  return () =>
    account && !account.details.photo && !account.details.bio && !isDone.get() &&
    h(
      "section.card.welcome",
      { "aria-label": t("welcome", { name: account.displayName }) },
      avatar(account),
      h(
        "div.grow",
        null,
        h("strong", null, t("welcome", { name: account.displayName })),
        h("p.soft.small-text", null, t("welcomeText")),
      ),
      h("a.button", { href: link("/profile") }, t("editProfile")),
      h(
        "button.button.quiet.icon-only",
        { type: "button", "aria-label": text("close"), onclick: close },
        icon("close"),
      ),
    );
}
