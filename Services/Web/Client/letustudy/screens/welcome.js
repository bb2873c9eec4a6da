// @ts-check
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { go, link } from "../../shared/router.js";
import { signedIn } from "../../shared/session.js";
import { styleSheet } from "../../shared/style-sheet.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

await styleSheet(new URL("../welcome.css", import.meta.url));

/** What the app is, for who is not signed in. */
export default function welcomeScreen() {
  const tryIt = async () => {
    signedIn(await call("POST /v1/auth/guest", { body: {} }));
    await go("/");
  };
  return h(
    "div.welcome",
    null,
    h(
      "section.welcome-words",
      null,
      h("p.eyebrow", null, t("welcomeEyebrow")),
      h("h1", null, t("welcomeTitle")),
      h("p.welcome-lead", null, t("welcomeLead")),
      h(
        "div.row",
        null,
        h("a.button.primary", { href: link("/sign-up") }, text("createAccount")),
        h("a.button", { href: link("/sign-in") }, text("signIn")),
        actionButton({ label: t("tryAsGuest"), run: tryIt, class: "quiet" }),
      ),
    ),
    h(
      "div.welcome-cards",
      { "aria-hidden": "true" },
      h("div.paper", null, h("span", null, "mañana")),
      h("div.paper", null, h("span", null, "e = mc²")),
      h("div.paper", null, h("span", null, "photosynthesis"), h("small", null, "6 CO₂ + 6 H₂O → …")),
    ),
    h(
      "ul.welcome-points",
      { role: "list" },
      /** @type {const} */ ([["clock", "pointRepeat"], ["download", "pointOffline"], ["people", "pointShare"]]).map((
        [name, key],
      ) => h("li", null, icon(name), h("p", null, t(key)))),
    ),
  );
}
