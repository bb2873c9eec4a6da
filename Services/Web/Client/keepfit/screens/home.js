// @ts-check
import { call } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { empty, problemText, skeleton } from "../../shared/components/states.js";
import { follow, on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { each, h, onCleanUp, state } from "../../shared/view.js";
import { weekChart } from "../components/charts.js";
import { loadFeed, MOST_PEOPLE } from "../feed.js";
import { postCard } from "../components/posts.js";
import { streamCard } from "../components/streams.js";
import { t } from "../strings.js";
import { loadTotals } from "../workout-days.js";
import { videoCard } from "../components/videos.js";
import { loadWords } from "../words.js";
import { duration, energy, figure, workoutName } from "../workouts.js";

/** @import { Post } from "../feed.js" */
/** @import { Person } from "../people.js" */
/** @import { Visit } from "../../shared/router.js" */

/** @param {Visit} visit */
export async function load({ signal }) {
  const me = user.get()?.id;
  const [totals, workouts, follows, streams, videos] = await Promise.all([
    loadTotals(7, signal),
    call("GET /v1/workouts", { limit: 1 }, { signal }),
    call("GET /v1/follows", { following: me, limit: MOST_PEOPLE }, { signal }),
    call("GET /v1/livestreams", { limit: 3 }, { signal }),
    call("GET /v1/media", { kind: "video", sort: "newest", limit: 4 }, { signal }),
    loadWords(),
  ]);
  return { totals, running: workouts.items.find((it) => it.status !== "finished"), follows, streams, videos };
}

/**
 * The user's week, what those whom the user follows show, and what is on.
 * @param {Awaited<ReturnType<typeof load>>} data
 * @param {Visit} visit
 */
export default function homeScreen({ totals, running, follows, streams, videos }, { signal }) {
  const account = user.get();
  /** @type {Person[]} */
  const people = follows.items.map((it) => it.user ?? { id: it.userID, displayName: t("someone") });
  if (account) people.push(account);
  const { all } = totals;
  return h(
    "div.stack",
    null,
    h(
      "section.hero",
      null,
      h("div.grow", null, h("h1", null, greeting(account?.displayName ?? "")), h("p", null, t("homeIntro"))),
      h(
        "a.button.hero-button",
        { href: link("/workouts/timer") },
        icon("play"),
        running ? t("continueWorkout", { name: workoutName(running) }) : t("startWorkout"),
      ),
    ),
    h(
      "div.home",
      null,
      h(
        "section.card.stack.home-week",
        null,
        h("div.spread", null, h("h2", null, t("yourWeek")), h("a", { href: link("/workouts") }, t("history"))),
        h(
          "dl.figures",
          null,
          figure(all.count, t("workouts")),
          figure(duration(all.activeSeconds), t("time")),
          figure(energy(all.kilocalories), t("burned")),
        ),
        weekChart(totals.days),
      ),
      h("section.stack.home-feed", { "aria-label": t("feed") }, h("h2", null, t("feed")), feedView(people, signal)),
      h(
        "div.stack.home-more",
        null,
        streams.items.length > 0 && h(
          "section.stack",
          null,
          h("div.spread", null, h("h2", null, t("live")), h("a", { href: link("/explore/live") }, t("seeAll"))),
          streams.items.map(streamCard),
        ),
        videos.items.length > 0 && h(
          "section.stack",
          null,
          h("div.spread", null, h("h2", null, t("newVideos")), h("a", { href: link("/explore/videos") }, t("seeAll"))),
          h("div.cards.is-narrow", null, videos.items.map((it) => videoCard(it))),
        ),
      ),
    ),
  );
}

/** @param {string} name */
function greeting(name) {
  const hour = new Date().getHours();
  const first = name.split(" ")[0];
  return t(hour < 5 ? "goodEvening" : hour < 12 ? "goodMorning" : hour < 18 ? "goodAfternoon" : "goodEvening", {
    name: first,
  });
}

/**
 * Loads again when one of the people shows something new.
 * @param {Person[]} people
 * @param {AbortSignal} signal
 */
function feedView(people, signal) {
  const posts = state(/** @type {Post[] | null} */ (null));
  const error = state(/** @type {unknown} */ (null));
  const refresh = () =>
    loadFeed(people, signal).then((it) => {
      posts.set(it);
      error.set(null);
    }, (reason) => signal.aborted || error.set(reason));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let next = 0;
  // at once, and not more often than every five seconds when many share something
  const refreshSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      next = Date.now() + 5000;
      refresh();
    }, Math.max(100, next - Date.now()));
  };
  onCleanUp(() => clearTimeout(timer));
  follow(...people.flatMap(({ id }) => [`user:${id}:progress`, `user:${id}:streams`]));
  on(
    ["workout.shared", "workout.unshared", "exercise.shared", "exercise.unshared", "livestream.*", "resync"],
    refreshSoon,
  );
  refresh();
  return h(
    "div.feed",
    { "aria-busy": () => String(posts.get() === null) },
    () => error.get() && posts.get() === null && couldNotLoad(error.get(), refresh),
    () => !error.get() && posts.get() === null && skeleton(4),
    () => posts.get()?.length === 0 && noPosts(people.length > 1),
    h(
      "ul.feed-list",
      { role: "list", "aria-label": t("feed") },
      each(() => posts.get() ?? [], postKey, (post) => h("li", null, postCard(post.get()))),
    ),
  );
}

/** A card stays as it is while its key does. @param {Post} post */
const postKey = (post) => `${post.id} ${post.at} ${post.kind === "stream" ? post.stream.state : ""}`;

/** @param {unknown} error @param {() => void} retry */
const couldNotLoad = (error, retry) =>
  h(
    "div.list-failure",
    { role: "alert" },
    h("p", null, problemText(error)),
    h("button.button", { type: "button", onclick: retry }, text("tryAgain")),
  );

/** @param {boolean} followsSomeone */
const noPosts = (followsSomeone) =>
  empty({
    icon: "people",
    title: t(followsSomeone ? "feedQuiet" : "feedEmpty"),
    message: t(followsSomeone ? "feedQuietHint" : "feedEmptyHint"),
    action: h("a.button.primary", { href: link("/explore/people") }, t("findPeople")),
  });
