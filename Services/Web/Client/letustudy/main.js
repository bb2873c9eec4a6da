// @ts-check
import { computed, effect } from "../shared/signals.js";
import { signedIn, startApp } from "../shared/start.js";
import { icon } from "../shared/components/icon.js";
import { link, signInPath } from "../shared/router.js";
import { hasAccount, user } from "../shared/session.js";
import { styleSheet } from "../shared/style-sheet.js";
import { keepOffline } from "./offline.js";
import { h } from "../shared/view.js";
import { followPreferences } from "./preferences.js";
import { messagesLink } from "./components/messages-link.js";
import { syncButton } from "./components/sync-button.js";
import { leaveUnused, openStudy, openToChange } from "./study.js";
import { t } from "./strings.js";

/** @import { ScreenModule } from "../shared/router.js" */

const person = computed(() => user.get()?.id ?? null);
effect(() => void openStudy(person.get()));

/** @type {Promise<void> | undefined} */
let styles;
const screenStyles = () => styles ??= styleSheet(new URL("./screens.css", import.meta.url));

/**
 * A screen that shows study data: it is open before the screen is built.
 * @param {() => Promise<any>} module
 * @param {typeof openStudy} open
 */
const withStudy = (module, open) => async () => {
  const [screen] = await Promise.all([module(), open(person.get())]);
  return /** @type {ScreenModule} */ (screen);
};

/** Guests study, too. @param {{ path: string }} visit */
const known = ({ path }) => user.get() ? null : path === "/" ? "/welcome" : signInPath(path);

/** @param {string | null} person */
const openScreen = (person) => Promise.all([openToChange(person), screenStyles()]);

/** @param {string} path @param {() => Promise<any>} screen @param {typeof openStudy} [open] */
const route = (path, screen, open = openScreen) => ({ path, screen: withStudy(screen, open), guard: known });

/** What only the platform has. @param {string} path @param {() => Promise<any>} screen */
const withAccount = (path, screen) => ({ path, screen: withStudy(screen, screenStyles), guard: signedIn });

const settingsLink = () =>
  h("a.button.quiet.icon-only", { href: link("/settings"), "aria-label": t("settings") }, icon("settings"));

await startApp({
  title: "LetuStudy",
  worksOffline: true,
  links: () =>
    person.get()
      ? [
        { path: "/", label: t("home"), icon: "home" },
        { path: "/sets", label: t("sets"), icon: "card" },
        { path: "/statistics", label: t("statistics"), icon: "chart" },
        { path: "/library", label: t("library"), icon: "book" },
        { path: "/courses", label: t("courses"), icon: "people" },
      ]
      : [],
  menu: () => [
    { path: "/calendar", label: t("calendar"), icon: "calendar" },
    { path: "/import", label: t("import"), icon: "upload" },
    { path: "/plans", label: t("plans"), icon: "star" },
    { path: "/settings", label: t("settings"), icon: "settings" },
  ],
  actions: () => {
    if (!person.get()) return [];
    const button = syncButton(openStudy(person.get()));
    // a guest has no menu of an account
    return hasAccount() ? [messagesLink(), button] : [button, settingsLink()];
  },
  onSignOut: async () => (await import("./leave.js")).leave(),
  routes: [
    { path: "/welcome", screen: () => import("./screens/welcome.js"), guard: () => user.get() ? "/" : null },
    // shows only what is there, and needs nothing that makes changes
    route("/", () => import("./screens/home.js"), openStudy),
    route("/sets", () => import("./screens/sets.js")),
    route("/sets/new", () => import("./screens/new-set.js")),
    route("/sets/{id}", () => import("./screens/set.js")),
    route("/sets/{id}/edit", () => import("./screens/editor.js")),
    route("/sets/{id}/scan", () => import("./screens/scan.js")),
    route("/sets/{id}/cards", () => import("./screens/cards.js")),
    route("/sets/{id}/study", () => import("./screens/study.js")),
    route("/sets/{id}/quiz", () => import("./screens/quiz.js")),
    route("/sets/{id}/share", () => import("./screens/share.js")),
    route("/study", () => import("./screens/study.js")),
    route("/join", () => import("./screens/join.js")),
    route("/scan", () => import("./screens/scan-start.js")),
    route("/import", () => import("./screens/import.js")),
    route("/statistics", () => import("./screens/statistics.js")),
    route("/calendar", () => import("./screens/calendar.js")),
    route("/library", () => import("./screens/library.js")),
    route("/library/{id}", () => import("./screens/library-set.js")),
    route("/courses", () => import("./screens/courses.js")),
    route("/courses/{id}", () => import("./screens/course.js")),
    route("/courses/{course}/assignments/{id}", () => import("./screens/assignment.js")),
    route("/courses/{course}/assignments/{assignment}/attempts/{id}", () => import("./screens/attempt.js")),
    route("/courses/{course}/discussions/{id}", () => import("./screens/discussion.js")),
    withAccount("/messages", () => import("./screens/messages.js")),
    withAccount("/messages/privacy", () => import("./screens/message-privacy.js")),
    withAccount("/messages/{id}", () => import("./screens/chat.js")),
    route("/plans", () => import("./screens/plans.js")),
    route("/plans/{id}", () => import("./screens/subscription.js")),
    route("/settings", () => import("./screens/settings.js")),
    route("/sync", () => import("./screens/sync.js")),
  ],
});
followPreferences(leaveUnused);
keepOffline().catch((error) => console.warn("the app is not kept offline", error));
