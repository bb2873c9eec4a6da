// @ts-check
/** The navigation around all screens: a bar below on phones, at the side on wide screens. */
import { currentPath, isLoading, link } from "../router.js";
import { hasAccount, signOut, user } from "../session.js";
import { text } from "../text.js";
import { h } from "../view.js";
import { avatar } from "./avatar.js";
import { icon } from "./icon.js";
import { menu } from "./menu.js";

/** @import { IconName } from "./icon.js" */
/** @typedef {{ path: string, label: string, icon: IconName, badge?: () => number }} ShellLink */

/** @param {string} path */
const isCurrent = (path) => path === "/" ? currentPath.get() === "/" : `${currentPath.get()}/`.startsWith(`${path}/`);

/** @param {ShellLink} entry */
const navigationLink = ({ path, label, icon: name, badge }) =>
  h(
    "a.nav-link",
    { href: link(path), "aria-current": () => isCurrent(path) ? "page" : null },
    h("span.nav-icon", null, icon(name), () =>
      badge && badge() > 0 && h("span.badge", null, badge() > 99 ? "99+" : badge())),
    h("span", null, label),
  );

/** Loaded when someone asks for it. */
const showAppearance = async () => (await import("./appearance.js")).chooseAppearance();

/**
 * @param {{ title: string, links: () => ShellLink[], menu?: () => ShellLink[], actions?: () => Node[],
 *   onSignOut?: () => Promise<boolean> }} options
 */
export function shell({ title, links, menu: more, actions, onSignOut }) {
  const outlet = h("main.main", { id: "main" });
  const account = () => {
    const person = user.get();
    if (!person || !hasAccount()) return h("a.button.quiet", { href: link("/sign-in") }, text("signIn"));
    return menu({
      label: person.displayName,
      content: avatar(person, { size: "small" }),
      class: "account-button",
      items: () => [
        ...(more?.() ?? []).map(({ path, label, icon: name }) => ({ label, icon: name, href: link(path) })),
        { label: text("theme"), icon: "sun", run: showAppearance },
        { label: text("signOut"), icon: "signout", run: leave },
      ],
    });
  };
  const leave = async () => {
    if (await onSignOut?.() === false) return;
    await signOut();
  };
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
      h(
        "a.wordmark",
        { href: link("/") },
        h("span.mark", { "aria-hidden": "true" }, title[0]),
        title,
      ),
      h("div.top-actions", null, () => actions?.(), account),
    ),
    h(
      "nav.navigation",
      { "aria-label": text("mainMenu"), hidden: () => links().length === 0 },
      () => links().map(navigationLink),
    ),
    outlet,
  ];
  return { root, outlet };
}
