// @ts-check
import { call, pages } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { listView, paged } from "../../shared/components/list.js";
import { menu } from "../../shared/components/menu.js";
import { empty } from "../../shared/components/states.js";
import { tabs } from "../../shared/components/tabs.js";
import { toast } from "../../shared/components/toast.js";
import { follow, on } from "../../shared/realtime.js";
import { computed, h, state } from "../../shared/view.js";
import { attempt } from "../../shared/components/attempt.js";
import { followButton } from "../components/relationships.js";
import { exerciseContent, exerciseReactions, workoutContent, workoutReactions } from "../components/posts.js";
import { profileHead } from "../components/profile-head.js";
import { relative } from "../../shared/language.js";
import { t } from "../screen-strings.js";
import { videoCard } from "../components/videos.js";
import { loadWords } from "../words.js";

/** @import { Profile } from "../../../Types/api.d.ts" */
/** @import { Visit } from "../../shared/router.js" */

/** @param {Visit} visit */
export async function load({ params, signal }) {
  const [person, relation] = await Promise.all([
    call("GET /v1/users/{id}", { id: params.id }, { signal }),
    call("GET /v1/relations/{userID}", { userID: params.id }, { signal }),
    loadWords(),
  ]);
  return { person, relation };
}

/** @param {Awaited<ReturnType<typeof load>>} data */
export default function personScreen({ person, relation: initial }) {
  const relation = state(initial);
  const { id, displayName } = person;
  const isFollowing = computed(() => relation.get().isFollowing);
  const isBlocked = computed(() => relation.get().isBlocked);
  const ifFollowing = (/** @type {() => Node} */ build) =>
    h("div", null, () => isFollowing.get() ? build() : forFollowers(person));
  return h(
    "div.stack",
    null,
    profileHead(person, {
      followers: () => relation.get().followers,
      following: () => relation.get().following,
      chips: () => relation.get().isFollowedBy && h("span.chip", null, t("followsYou")),
      actions: h(
        "div.row",
        null,
        () => isBlocked.get() ? h("span.chip.is-danger", null, t("blocked")) : followButton(relation, displayName),
        menu({
          label: t("moreActions"),
          items: () => [
            relation.get().isBlocked
              ? { label: t("unblock"), icon: "block", run: () => attempt(unblock) }
              : { label: t("block"), icon: "block", isDangerous: true, run: () => attempt(block) },
          ],
        }),
      ),
    }),
    () =>
      isBlocked.get() ? h("p.notice", null, t("blockHint")) : tabs({
        label: t("profileSections"),
        tabs: [
          { id: "workouts", label: t("workouts"), content: () => ifFollowing(() => sharedWorkouts(person)) },
          { id: "exercises", label: t("exercises"), content: () => ifFollowing(() => sharedExercises(person)) },
          { id: "videos", label: t("videos"), content: () => videosOf(person) },
        ],
      }),
  );

  async function block() {
    const isSure = await confirmDialog({
      title: t("blockQuestion", { name: displayName }),
      message: t("blockHint"),
      confirm: t("block"),
      isDangerous: true,
    });
    if (!isSure) return;
    await call("PUT /v1/blocks/{userID}", { userID: id });
    relation.update((it) => ({ ...it, isBlocked: true, isFollowing: false, isFollowedBy: false }));
    toast(t("blockedPerson", { name: displayName }), { kind: "success" });
  }

  async function unblock() {
    await call("DELETE /v1/blocks/{userID}", { userID: id });
    relation.set(await call("GET /v1/relations/{userID}", { userID: id }));
  }
}

/** Only followers see what someone shares. @param {Profile} person */
const forFollowers = ({ displayName }) =>
  empty({ icon: "people", title: t("forFollowers"), message: t("workoutsForFollowers", { name: displayName }) });

/** @param {Profile} person */
function sharedWorkouts({ id }) {
  const list = paged((signal) => pages("GET /v1/shared-workouts", { user: id }, { signal }));
  follow(`user:${id}:progress`);
  on(["workout.shared", "workout.unshared", "resync"], () => list.reload());
  return listView(list, {
    key: (it) => it.id,
    label: t("workouts"),
    class: "feed-list",
    render: (workout) =>
      h(
        "article.card.post",
        null,
        h("p.soft.small-text", null, relative(workout.get().sharing.sharedAt)),
        workoutContent(workout.get()),
        workoutReactions(workout.get(), false),
      ),
    empty: { icon: "dumbbell", title: t("nothingShared") },
  });
}

/** @param {Profile} person */
function sharedExercises({ id }) {
  const list = paged((signal) => pages("GET /v1/shared-exercises", { user: id }, { signal }));
  return listView(list, {
    key: (it) => it.id,
    label: t("exercises"),
    class: "feed-list",
    render: (exercise) =>
      h("article.card.post", null, exerciseContent(exercise.get()), exerciseReactions(exercise.get(), false)),
    empty: { icon: "book", title: t("nothingShared") },
  });
}

/** @param {{ id: string }} person */
export function videosOf({ id }) {
  const list = paged((signal) => pages("GET /v1/media", { kind: "video", owner: id, limit: 24 }, { signal }));
  return listView(list, {
    key: (it) => it.id,
    label: t("videos"),
    class: "cards",
    render: (video) => h("div", null, () => videoCard(video.get(), { hasOwner: false })),
    empty: { icon: "video", title: t("noVideos") },
  });
}
