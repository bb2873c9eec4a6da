// @ts-check
import { unreadMessages } from "../shared/chat/unread.js";
import { user } from "../shared/session.js";
import { signedIn, startApp } from "../shared/start.js";
import { newLikes, watchCounts } from "./counts.js";
import { watchMatches } from "./match-news.js";
import { keepPresent } from "./presence.js";
import { hasProfile } from "./profile.js";
import { t } from "./strings.js";

/** @param {string} path @param {import("../shared/router.js").Route["screen"]} screen */
const page = (path, screen) => ({ path, guard: signedIn, screen });

startApp({
  title: t("product"),
  links: () =>
    user.get() && hasProfile()
      ? [
        { path: "/", label: t("discover"), icon: "home" },
        { path: "/likes", label: t("likes"), icon: "heart", badge: () => newLikes.get() },
        { path: "/matches", label: t("matches"), icon: "people" },
        { path: "/messages", label: t("chats"), icon: "chat", badge: () => unreadMessages.get() },
        { path: "/profile", label: t("profile"), icon: "person" },
      ]
      : [],
  menu: () => [{ path: "/settings", label: t("settings"), icon: "settings" }],
  routes: [
    page("/", () => import("./screens/deck.js")),
    page("/setup", () => import("./screens/setup-start.js")),
    page("/setup/{stage}", () => import("./screens/setup.js")),
    page("/likes", () => import("./screens/likes.js")),
    page("/matches", () => import("./screens/matches.js")),
    page("/matches/{userID}", () => import("./screens/match.js")),
    page("/messages", () => import("./screens/messages.js")),
    page("/messages/{id}", () => import("./screens/chat.js")),
    page("/profile", () => import("./screens/profile.js")),
    page("/profile/edit", () => import("./screens/edit.js")),
    page("/settings", () => import("./screens/settings.js")),
    page("/blocked", () => import("./screens/blocked.js")),
  ],
}).then(() => {
  watchMatches();
  watchCounts();
  keepPresent();
});
