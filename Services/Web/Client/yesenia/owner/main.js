// @ts-check
/**
 * The owner's side: orders, products, taxes and shipping, letters, newsletter, and what the shop's pages say. Its page is
 * `admin/shop`, because only the sessions of the back office may administer (docs/security.md), and the shop's pages must
 * not reach them.
 */
import { addressIn } from "../../shared/app.js";
import { actionButton } from "../../shared/components/form.js";
import { empty } from "../../shared/components/states.js";
import { hasAccount, hasRole, signOut } from "../../shared/session.js";
import { signedIn, startApp } from "../../shared/start.js";
import { h } from "../../shared/view.js";
import { t } from "./strings.js";

/** @import { Route } from "../../shared/router.js" */

const isStaff = () => hasRole("owner", "administrator");

/** The screen for users who are signed in and do not own the shop. */
const refusal = () =>
  Promise.resolve({
    default: () =>
      h(
        "div",
        null,
        h("h1.visually-hidden", null, t("title")),
        empty({
          icon: "lock",
          title: t("onlyOwner"),
          message: t("onlyOwnerHint"),
          action: actionButton({ label: t("signInAsOther"), icon: "signout", run: signOut }),
        }),
      ),
  });

/** @type {(path: string, screen: Route["screen"]) => Route} */
const route = (path, screen) => ({ path, guard: signedIn, screen: () => isStaff() ? screen() : refusal() });

startApp({
  title: t("title"),
  links: () =>
    hasAccount() && isStaff()
      ? [
        { path: "/", label: t("orders"), icon: "list" },
        { path: "/products", label: t("products"), icon: "tag" },
        { path: "/letters", label: t("letters"), icon: "inbox" },
        { path: "/newsletter", label: t("newsletter"), icon: "mail" },
        { path: "/pages", label: t("pages"), icon: "edit" },
      ]
      : [],
  menu: () => isStaff() ? [{ path: "/rules", label: t("rules"), icon: "settings" }] : [],
  actions: () => [h("a.button.quiet", { href: addressIn("yesenia", "/") }, t("toShop"))],
  routes: [
    route("/", () => import("./screens/dashboard.js")),
    route("/orders/{id}", () => import("./screens/order.js")),
    route("/products", () => import("./screens/products.js")),
    route("/products/new", () => import("./screens/product.js")),
    route("/products/{id}", () => import("./screens/product.js")),
    route("/import", () => import("./screens/import.js")),
    route("/rules", () => import("./screens/rules.js")),
    route("/letters", () => import("./screens/messages.js")),
    route("/letters/{id}", () => import("./screens/message.js")),
    route("/newsletter", () => import("./screens/newsletter.js")),
    route("/pages", () => import("./screens/pages.js")),
  ],
});
