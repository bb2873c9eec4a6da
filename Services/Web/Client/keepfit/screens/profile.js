// @ts-check
import { call, pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { tabs } from "../../shared/components/tabs.js";
import { date, number } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { reloadUser, user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { exerciseCard } from "../components/exercises.js";
import { profileHead } from "../components/profile-head.js";
import { t } from "../screen-strings.js";
import { videoCard } from "../components/videos.js";
import { loadWords, word } from "../words.js";
import { workoutList } from "../components/workout-list.js";
import { videosOf } from "./person.js";

/** @import { Account, ProfileDetails } from "../../../Types/api.d.ts" */
/** @import { Visit } from "../../shared/router.js" */

/** @param {Visit} visit */
export async function load({ signal }) {
  const id = user.get()?.id;
  const [followers, following] = await Promise.all([
    call("GET /v1/follows", { followers: id, limit: 1 }, { signal }),
    call("GET /v1/follows", { following: id, limit: 1 }, { signal }),
    loadWords(),
    reloadUser(),
  ]);
  return { account: /** @type {Account} */ (user.get()), followers: followers.count, following: following.count };
}

/**
 * The user's own page: personal data, workouts, saved exercises, videos.
 * @param {Awaited<ReturnType<typeof load>>} data
 * @param {Visit} visit
 */
export default function profileScreen({ account, followers, following }, { query }) {
  return h(
    "div.stack",
    null,
    profileHead(account, {
      followers: () => followers,
      following: () => following,
      actions: h("div.row", null, h("a.button", { href: link("/profile/edit") }, t("editProfile"))),
    }),
    tabs({
      label: t("profileSections"),
      selected: query.get("tab") ?? "workouts",
      tabs: [
        { id: "workouts", label: t("history"), content: () => workoutList() },
        { id: "exercises", label: t("savedExercises"), content: savedExercises },
        { id: "videos", label: t("yourVideos"), content: () => videosOf(account) },
        { id: "saved", label: t("savedVideos"), content: savedVideos },
        { id: "data", label: t("personalData"), content: () => personalData(account.details) },
      ],
    }),
  );
}

function savedExercises() {
  const list = paged((signal) => pages("GET /v1/exercises/saved", { limit: 24 }, { signal }));
  return listView(list, {
    key: (it) => it.id,
    label: t("savedExercises"),
    class: "cards",
    render: (exercise) => exerciseCard(exercise.get()),
    empty: {
      icon: "dumbbell",
      title: t("noSavedExercises"),
      message: t("noSavedExercisesHint"),
      action: h("a.button", { href: link("/explore/exercises") }, t("exercises")),
    },
  });
}

function savedVideos() {
  const list = paged((signal) => pages("GET /v1/media/saved", { limit: 24 }, { signal }));
  return listView(list, {
    key: (it) => it.id,
    label: t("savedVideos"),
    class: "cards",
    render: (video) => h("div", null, () => videoCard(video.get())),
    empty: {
      icon: "video",
      title: t("noSavedVideos"),
      message: t("noSavedVideosHint"),
      action: h("a.button", { href: link("/explore/videos") }, t("videos")),
    },
  });
}

/** @param {ProfileDetails} details */
function personalData({ gender, birthday, weightGrams, heightMillimetres, fitnessLevel }) {
  /** @param {number | undefined} value @param {string} unit */
  const measure = (value, unit) =>
    value === undefined ? "–" : number(value, { style: "unit", unit, maximumFractionDigits: 1 });
  /** @type {[string, string][]} */
  const facts = [
    [t("gender"), gender ? word("gender", gender) : "–"],
    [t("birthday"), birthday ? date(`${birthday}T12:00:00`, { dateStyle: "long" }) : "–"],
    [t("weightShort"), measure(weightGrams && weightGrams / 1000, "kilogram")],
    [t("heightShort"), measure(heightMillimetres && heightMillimetres / 10, "centimeter")],
    [t("fitnessLevel"), fitnessLevel ? word("fitnessLevel", fitnessLevel) : "–"],
  ];
  return h(
    "div.card.stack",
    null,
    h("p.soft.small-text", null, t("personalDataHint")),
    h("dl.facts", null, facts.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
    h("p", null, h("a.button", { href: link("/profile/edit") }, t("editProfile"))),
  );
}
