// @ts-check
/** What is around all screens of the shop: the cart, the navigation that pops out, and the footer. */
import { addressIn } from "../../shared/app.js";
import { icon } from "../../shared/components/icon.js";
import { menu } from "../../shared/components/menu.js";
import { avatar } from "../../shared/components/picture.js";
import { currentPath, go, isLoading, link } from "../../shared/router.js";
import { hasAccount, hasRole, signOut, user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { itemCount } from "../cart.js";
import { loadSite } from "../site.js";
import { t } from "../strings.js";

/** @import { IconName } from "../../shared/components/icon.js" */
/** @import { Site } from "../../../Types/api.d.ts" */

/** @type {() => [string, string, IconName][]} */
const links = () => [
  ["/", t("home"), "home"],
  ["/blog", t("blog"), "book"],
  ["/videos", t("watchVideos"), "video"],
  ["/shop", t("shop"), "shop"],
  ["/orders", t("orders"), "list"],
  ["/tools", t("tools"), "settings"],
  ["/newsletter", t("newsletter"), "mail"],
  ["/contact", t("contact"), "chat"],
];

/** Leaves the account, and stays in the shop. */
async function leave() {
  await signOut();
  await go("/", { replace: true });
}

const showAppearance = async () => (await import("../../shared/components/appearance.js")).chooseAppearance();

/** @param {string} path */
const isCurrent = (path) => path === "/" ? currentPath.get() === "/" : `${currentPath.get()}/`.startsWith(`${path}/`);

/** @param {{ title: string }} options */
export function frame({ title }) {
  const outlet = h("main.main", { id: "main" });
  const skip = (/** @type {Event} */ event) => {
    event.preventDefault();
    outlet.tabIndex = -1;
    outlet.focus();
  };
  const root = [
    h("a.skip-link", { href: "#main", onclick: skip }, text("skip")),
    h("div.progress", { hidden: () => !isLoading.get(), "aria-hidden": "true" }),
    h(
      "header.top-bar",
      null,
      start(),
      h("a.wordmark", { href: link("/") }, title),
      h("div.top-actions", null, account),
    ),
    navigation(),
    outlet,
    footer(title),
  ];
  return { root, outlet };
}

/** The buttons at the start of the bar: navigation and cart. */
const start = () =>
  h(
    "div.top-start",
    null,
    h(
      "button.button.quiet.icon-only.menu-button",
      { type: "button", popovertarget: "navigation", "aria-label": text("mainMenu") },
      icon("menu"),
    ),
    h(
      "a.button.quiet.icon-only.cart-button",
      { href: link("/cart"), "aria-label": () => t("cartOf", { count: itemCount.get() }) },
      icon("cart"),
      () => itemCount.get() > 0 && h("span.badge", null, itemCount.get()),
    ),
  );

function navigation() {
  const close = () => nav.matches(":popover-open") && nav.hidePopover();
  const nav = h(
    "nav.shop-nav",
    { id: "navigation", popover: "auto", "aria-label": text("mainMenu"), onclick: close },
    links().map(([path, label, sign]) =>
      h(
        "a.shop-link",
        { href: link(path), "aria-current": () => isCurrent(path) ? "page" : null },
        icon(sign),
        label,
      )
    ),
    () =>
      hasAccount()
        ? h("button.shop-link", { type: "button", onclick: leave }, icon("signout"), t("logOut"))
        : h("a.shop-link", { href: link("/sign-in") }, icon("person"), t("logInOrRegister")),
  );
  return nav;
}

function account() {
  const person = user.get();
  if (!person || !hasAccount()) return h("a.button.quiet", { href: link("/sign-in") }, text("signIn"));
  return menu({
    label: person.displayName,
    content: avatar(person, { size: "small" }),
    class: "account-button",
    items: () => [
      { label: t("orders"), icon: "list", href: link("/orders") },
      ...(hasRole("owner", "administrator")
        ? [{
          label: t("manage"),
          icon: /** @type {const} */ ("shop"),
          run: () => location.assign(addressIn("admin", "/shop/")),
        }]
        : []),
      { label: text("theme"), icon: "sun", run: showAppearance },
      { label: t("logOut"), icon: "signout", run: leave },
    ],
  });
}

/** @param {string} title */
function footer(title) {
  const site = state(/** @type {Site | null} */ (null));
  loadSite().then((it) => site.set(it), () => {});
  return h(
    "footer.footer",
    null,
    h("p.footer-name", null, title),
    () => {
      const { socialLinks = [], email } = site.get() ?? {};
      return h(
        "ul.footer-links",
        { role: "list" },
        socialLinks.map((it) =>
          h("li", null, h("a", { href: it.link, target: "_blank", rel: "noopener" }, it.name, icon("external")))
        ),
        email && h("li", null, h("a", { href: `mailto:${email}` }, icon("mail"), email)),
      );
    },
    h("button.button.quiet.small", { type: "button", onclick: showAppearance }, icon("sun"), text("theme")),
  );
}
