// @ts-check
/** The parts of the back office, and who of the staff sees which (docs/audit.md). */
import { currentPath, link, signInPath } from "../shared/router.js";
import { hasAccount, hasRole, signInNotes } from "../shared/session.js";
import { h } from "../shared/view.js";
import { t } from "./strings.js";

/** @import { ShellLink } from "../shared/components/shell.js" */
/** @typedef {"owner" | "administrator" | "support"} StaffRole */

/** @type {readonly StaffRole[]} */
const STAFF = ["owner", "administrator", "support"];

/**
 * A guard: only staff with one of these roles, and with a second factor.
 * @param {...StaffRole} roles
 */
export const staff = (...roles) => (/** @type {{ path: string }} */ { path }) => {
  if (!hasAccount()) return signInPath(path);
  const isAllowed = hasRole(...(roles.length > 0 ? roles : STAFF)) && !signInNotes.get()?.missingFactor;
  return isAllowed ? null : "/no-access";
};

/** The main navigation. @returns {ShellLink[]} */
export function sectionLinks() {
  if (!hasAccount() || !hasRole(...STAFF)) return [];
  const seesPeople = hasRole("administrator", "support");
  return [
    { path: "/", label: t("overview"), icon: "home" },
    ...(seesPeople ? [/** @type {const} */ ({ path: "/people", label: t("people"), icon: "people" })] : []),
    { path: "/sales", label: t("sales"), icon: "shop" },
    { path: "/safety", label: t("safety"), icon: "shield" },
    { path: "/system", label: t("system"), icon: "settings" },
  ];
}

/** @type {Record<"people" | "sales" | "safety" | "system", { path: string, label: () => string, roles: readonly StaffRole[] }[]>} */
const PAGES = {
  people: [
    { path: "/people/accounts", label: () => t("accounts"), roles: ["administrator", "support"] },
    { path: "/people/schools", label: () => t("schools"), roles: ["administrator"] },
  ],
  sales: [
    { path: "/sales/orders", label: () => t("orders"), roles: STAFF },
    { path: "/sales/refunds", label: () => t("refunds"), roles: STAFF },
    { path: "/sales/payouts", label: () => t("payouts"), roles: STAFF },
    { path: "/sales/strikes", label: () => t("strikes"), roles: STAFF },
    { path: "/sales/app-store", label: () => t("appStore"), roles: STAFF },
  ],
  safety: [
    { path: "/safety/messages", label: () => t("messageReports"), roles: ["administrator", "support"] },
    { path: "/safety/sets", label: () => t("setReports"), roles: ["administrator", "support"] },
    { path: "/safety/contact", label: () => t("contact"), roles: ["administrator", "owner"] },
  ],
  system: [
    { path: "/system/state", label: () => t("state"), roles: STAFF },
    { path: "/system/audit", label: () => t("audit"), roles: ["administrator", "support"] },
    { path: "/system/crashes", label: () => t("crashes"), roles: ["administrator", "support"] },
    { path: "/system/jobs", label: () => t("jobs"), roles: ["administrator"] },
    { path: "/system/dead-letters", label: () => t("deadLetters"), roles: ["administrator"] },
    { path: "/system/features", label: () => t("features"), roles: ["administrator"] },
    { path: "/system/rules", label: () => t("rules"), roles: ["administrator", "owner"] },
  ],
};

/** Whether a page is shown, or one below it. @param {string} path */
function currentState(path) {
  const shown = currentPath.get();
  return shown === path ? "page" : shown.startsWith(`${path}/`) ? "true" : null;
}

/**
 * A page of a part: its heading, the way to the part's other pages, and its content.
 * @param {keyof typeof PAGES} section
 * @param {{ title: string, intro?: string, action?: Node | null | false }} heading
 * @param {...import("../shared/view.js").Child} children
 */
export const sectionPage = (section, { title, intro, action }, ...children) =>
  h(
    "div.stack",
    null,
    h(
      "nav.subpages",
      { "aria-label": t(section) },
      PAGES[section].filter((it) => hasRole(...it.roles)).map(({ path, label }) =>
        h("a.subpage", { href: link(path), "aria-current": currentState(path) }, label())
      ),
    ),
    h(
      "header.page-heading",
      null,
      h("div", null, h("h1", null, title), intro && h("p.soft", null, intro)),
      action,
    ),
    ...children,
  );
