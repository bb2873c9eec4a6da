// @ts-check
import { unreadMessages } from "../shared/chat/unread.js";
import { user } from "../shared/session.js";
import { signedIn, startApp } from "../shared/start.js";
import { effect, h } from "../shared/view.js";
import { cartButton, sellButton } from "./components/actions.js";
import { followCounts } from "./components/counts.js";
import { followNotices } from "./components/notices.js";
import { t } from "./strings.js";

/** @param {string} path @param {() => Promise<any>} screen */
const page = (path, screen) => ({ path, screen, guard: signedIn });

effect(() => {
  if (!user.get()) return;
  followCounts();
  followNotices();
});

startApp({
  title: "Archived",
  links: () =>
    user.get()
      ? [
        { path: "/", label: t("beats"), icon: "music" },
        { path: "/opens", label: t("opens"), icon: "volume" },
        { path: "/auctions", label: t("auctions"), icon: "gavel" },
        { path: "/messages", label: t("inbox"), icon: "inbox", badge: () => unreadMessages.get() },
        { path: "/library", label: t("library"), icon: "archive" },
      ]
      : [],
  menu: () => [
    { path: `/people/${user.get()?.id}`, label: t("profile"), icon: "person" },
    { path: "/connections", label: t("connections"), icon: "people" },
    { path: "/explore", label: t("explore"), icon: "search" },
    { path: "/earnings", label: t("earnings"), icon: "chart" },
    { path: "/settings", label: t("settings"), icon: "settings" },
  ],
  actions: () => user.get() ? [sellButton(), cartButton()] : [h("span")],
  routes: [
    page("/", () => import("./screens/feed.js")),
    page("/opens", () => import("./screens/feed.js")),
    page("/listings/new", () => import("./screens/new-listing.js")),
    page("/listings/{id}", () => import("./screens/listing.js")),
    page("/listings/{id}/edit", () => import("./screens/edit-listing.js")),
    page("/listings/{id}/auction", () => import("./screens/new-auction.js")),
    page("/auctions", () => import("./screens/auctions.js")),
    page("/auctions/{id}", () => import("./screens/auction.js")),
    page("/messages", () => import("./screens/messages.js")),
    page("/messages/{id}", () => import("./screens/chat.js")),
    page("/cart", () => import("./screens/cart.js")),
    page("/orders/{id}", () => import("./screens/order.js")),
    page("/library", () => import("./screens/library.js")),
    page("/licenses/{id}", () => import("./screens/license.js")),
    page("/earnings", () => import("./screens/earnings.js")),
    page("/explore", () => import("./screens/explore.js")),
    page("/connections", () => import("./screens/connections.js")),
    page("/people/{id}", () => import("./screens/person.js")),
    page("/profile", () => import("./screens/edit-profile.js")),
    page("/settings", () => import("./screens/settings.js")),
  ],
});
