// @ts-check
import { signedIn, startApp } from "../shared/start.js";
import { hasAccount } from "../shared/session.js";
import { t } from "./strings.js";

startApp({
  title: t("product"),
  links: () =>
    hasAccount()
      ? [
        { path: "/", label: t("profile"), icon: "person" },
        { path: "/security", label: t("security"), icon: "shield" },
        { path: "/devices", label: t("devices"), icon: "key" },
        { path: "/notifications", label: t("alerts"), icon: "bell" },
        { path: "/privacy", label: t("privacy"), icon: "lock" },
      ]
      : [],
  routes: [
    { path: "/", guard: signedIn, screen: () => import("./screens/profile.js") },
    { path: "/security", guard: signedIn, screen: () => import("./screens/security.js") },
    { path: "/devices", guard: signedIn, screen: () => import("./screens/devices.js") },
    { path: "/notifications", guard: signedIn, screen: () => import("./screens/notifications.js") },
    { path: "/privacy", guard: signedIn, screen: () => import("./screens/privacy.js") },
    { path: "/schools/{id}", guard: signedIn, screen: () => import("./screens/school.js") },
  ],
});
