// @ts-check
import { signedIn, startApp } from "../shared/start.js";
import { user } from "../shared/session.js";
import { t } from "./strings.js";

startApp({
  title: t("product"),
  links: () =>
    user.get()
      ? [
        { path: "/", label: t("profile"), icon: "person" },
        { path: "/security", label: t("security"), icon: "shield" },
      ]
      : [],
  routes: [
    { path: "/", guard: signedIn, screen: () => import("./screens/profile.js") },
    { path: "/security", guard: signedIn, screen: () => import("./screens/security.js") },
  ],
});
