// @ts-check
import { signedIn, startApp } from "../shared/start.js";
import { user } from "../shared/session.js";
import { needsSetUp } from "./set-up.js";
import { t } from "./strings.js";

/** For users whose set-up is done or postponed. @param {{ path: string }} visit */
const ready = (visit) => signedIn(visit) ?? (needsSetUp() ? "/setup" : null);

/** @param {string} path @param {import("../shared/router.js").Route["screen"]} screen */
const page = (path, screen) => ({ path, screen, guard: ready });

startApp({
  title: "KeepFit",
  links: () =>
    user.get()
      ? [
        { path: "/", label: t("home"), icon: "home" },
        { path: "/explore", label: t("explore"), icon: "search" },
        { path: "/create", label: t("create"), icon: "add" },
        { path: "/workouts", label: t("workouts"), icon: "dumbbell" },
        { path: "/profile", label: t("profile"), icon: "person" },
      ]
      : [],
  menu: () => [{ path: "/settings", label: t("settings"), icon: "settings" }],
  routes: [
    { path: "/setup", guard: signedIn, screen: () => import("./screens/set-up.js") },
    page("/", () => import("./screens/home.js")),
    { path: "/explore", guard: () => "/explore/videos", screen: () => import("./screens/videos.js") },
    page("/explore/videos", () => import("./screens/videos.js")),
    page("/explore/videos/{id}", () => import("./screens/video.js")),
    page("/explore/live", () => import("./screens/live.js")),
    page("/explore/live/{id}", () => import("./screens/stream.js")),
    page("/explore/exercises", () => import("./screens/exercises.js")),
    page("/explore/exercises/{id}", () => import("./screens/exercise.js")),
    page("/explore/people", () => import("./screens/people.js")),
    {
      path: "/explore/people/{id}",
      guard: (visit) => ready(visit) ?? (visit.params.id === user.get()?.id ? "/profile" : null),
      screen: () => import("./screens/person.js"),
    },
    page("/explore/people/{id}/{side}", () => import("./screens/followers.js")),
    page("/create", () => import("./screens/create.js")),
    page("/create/video", () => import("./screens/upload.js")),
    page("/create/live", () => import("./screens/new-stream.js")),
    page("/workouts", () => import("./screens/history.js")),
    page("/workouts/timer", () => import("./screens/timer.js")),
    page("/workouts/{id}", () => import("./screens/workout.js")),
    page("/profile", () => import("./screens/profile.js")),
    page("/profile/edit", () => import("./screens/edit-profile.js")),
    page("/settings", () => import("./screens/settings.js")),
  ],
});
