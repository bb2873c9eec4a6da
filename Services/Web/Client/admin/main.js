// @ts-check
import { startApp } from "../shared/start.js";
import { hasRole } from "../shared/session.js";
import { sectionLinks, staff } from "./sections.js";
import { t } from "./strings.js";

/** A guard for an address that has no screen of its own. @param {string} path */
const to = (path) => () => path;
const missing = () => import("../shared/sign-in/missing.js");

startApp({
  title: t("product"),
  links: sectionLinks,
  routes: [
    { path: "/", guard: staff(), screen: () => import("./screens/overview.js") },
    { path: "/no-access", screen: () => import("./screens/no-access.js") },
    { path: "/people", guard: to("/people/accounts"), screen: missing },
    {
      path: "/people/accounts",
      guard: staff("administrator", "support"),
      screen: () => import("./screens/accounts.js"),
    },
    {
      path: "/people/accounts/{id}",
      guard: staff("administrator", "support"),
      screen: () => import("./screens/account.js"),
    },
    { path: "/people/schools", guard: staff("administrator"), screen: () => import("./screens/schools.js") },
    { path: "/sales", guard: to("/sales/orders"), screen: missing },
    { path: "/sales/orders", guard: staff(), screen: () => import("./screens/orders.js") },
    { path: "/sales/orders/{id}", guard: staff(), screen: () => import("./screens/order.js") },
    { path: "/sales/refunds", guard: staff(), screen: () => import("./screens/refunds.js") },
    { path: "/sales/payouts", guard: staff(), screen: () => import("./screens/payouts.js") },
    { path: "/sales/strikes", guard: staff(), screen: () => import("./screens/strikes.js") },
    { path: "/sales/app-store", guard: staff(), screen: () => import("./screens/app-store.js") },
    { path: "/safety", guard: () => firstSafetyPage(), screen: missing },
    {
      path: "/safety/messages",
      guard: staff("administrator", "support"),
      screen: () => import("./screens/message-reports.js"),
    },
    {
      path: "/safety/sets",
      guard: staff("administrator", "support"),
      screen: () => import("./screens/set-reports.js"),
    },
    { path: "/safety/contact", guard: staff("administrator", "owner"), screen: () => import("./screens/contact.js") },
    { path: "/system", guard: to("/system/state"), screen: missing },
    { path: "/system/state", guard: staff(), screen: () => import("./screens/state.js") },
    { path: "/system/audit", guard: staff("administrator", "support"), screen: () => import("./screens/audit.js") },
    {
      path: "/system/crashes",
      guard: staff("administrator", "support"),
      screen: () => import("./screens/crashes.js"),
    },
    { path: "/system/jobs", guard: staff("administrator"), screen: () => import("./screens/jobs.js") },
    {
      path: "/system/dead-letters",
      guard: staff("administrator"),
      screen: () => import("./screens/dead-letters.js"),
    },
    { path: "/system/features", guard: staff("administrator"), screen: () => import("./screens/features.js") },
    {
      path: "/system/rules",
      guard: staff("administrator", "owner"),
      screen: () => import("./screens/rules.js"),
    },
  ],
});

/** Owners read what visitors write, but no reports. */
function firstSafetyPage() {
  return hasRole("administrator", "support") ? "/safety/messages" : "/safety/contact";
}
