// @ts-check
/** A post of the feed, as a card. */
import { call } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { avatar, picture } from "../../shared/components/picture.js";
import { clockTime, relative } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { personLink } from "../people.js";
import { reactionBar } from "./reactions.js";
import { workoutSign } from "./signs.js";
import { streamChip, streamTime } from "./streams.js";
import { t } from "../strings.js";
import { word } from "../words.js";
import { duration, energy, figure } from "../workouts.js";

/** @import { SharedExercise, SharedWorkout } from "../../../Types/api.d.ts" */
/** @import { Post } from "../feed.js" */

/** @type {Record<Post["kind"], "postWorkout" | "postExercise" | "postVideo" | "postStream">} */
const VERBS = { workout: "postWorkout", exercise: "postExercise", video: "postVideo", stream: "postStream" };

/** @param {Post} post */
export const postCard = (post) =>
  h(
    "article.card.post",
    null,
    h(
      "header.post-header",
      null,
      avatar(post.person),
      h(
        "div.grow",
        null,
        h("p", null, personLink(post.person.id, post.person), " ", h("span.soft", null, t(VERBS[post.kind]))),
        h("p.soft.small-text", null, h("time", { datetime: post.at }, relative(post.at))),
      ),
    ),
    content(post),
  );

/** @param {Post} post */
function content(post) {
  const isMine = post.person.id === user.get()?.id;
  switch (post.kind) {
    case "workout":
      return [workoutContent(post.workout), workoutReactions(post.workout, isMine)];
    case "exercise":
      return [exerciseContent(post.exercise), exerciseReactions(post.exercise, isMine)];
    case "video": {
      const { video } = post;
      return h(
        "a.post-video",
        { href: link(`/explore/videos/${video.id}`) },
        h(
          "span.video-frame",
          null,
          picture(video.link ? undefined : video.id, {
            alt: "",
            ratio: "16 / 9",
            thumbHash: video.thumbHash,
            sizes: "(min-width: 60rem) 40rem, 100vw",
          }),
          h("span.video-play", null, icon("play")),
          video.milliseconds && h("span.video-length.number", null, clockTime(video.milliseconds)),
        ),
        h("span.post-title", null, video.title ?? t("untitled")),
      );
    }
    case "stream":
      return h(
        "a.post-stream",
        { href: link(`/explore/live/${post.stream.id}`) },
        h("span.post-title", null, post.stream.title),
        h("span.row", null, streamChip(post.stream), h("span.soft.small-text", null, streamTime(post.stream))),
      );
  }
}

/** @param {SharedWorkout} workout */
export const workoutContent = (workout) =>
  h(
    "div.post-workout",
    null,
    h("span.workout-sign", null, workoutSign(workout.type)),
    h(
      "div.grow",
      null,
      h("p.post-title", null, word("workoutType", workout.type)),
      h("p.soft.small-text", null, word("intensityLevel", workout.intensity)),
    ),
    h(
      "dl.figures",
      null,
      figure(duration(workout.activeSeconds), t("time")),
      workout.kilocalories !== undefined && figure(energy(workout.kilocalories), t("burned")),
    ),
  );

/** @param {SharedWorkout} workout @param {boolean} isMine */
export const workoutReactions = ({ id, sharing }, isMine) =>
  reactionBar(
    sharing.reactions,
    isMine
      ? undefined
      : (emoji, isGiven) => call(`${isGiven ? "PUT" : "DELETE"} /v1/workouts/{id}/reactions/{emoji}`, { id, emoji }),
  );

/** @param {SharedExercise} exercise */
export const exerciseContent = (exercise) =>
  h(
    "a.post-workout",
    { href: link(`/explore/exercises/${exercise.exercise}`) },
    h("span.workout-sign", null, icon("dumbbell")),
    h(
      "span.grow",
      null,
      h("span.post-title", null, exercise.name),
      h(
        "span.soft.small-text",
        null,
        t("exerciseFacts", {
          muscle: word("muscle", exercise.muscle),
          level: word("exerciseLevel", exercise.level),
        }),
      ),
    ),
  );

/** @param {SharedExercise} exercise @param {boolean} isMine */
export const exerciseReactions = ({ id, reactions }, isMine) =>
  reactionBar(
    reactions,
    isMine
      ? undefined
      : (emoji, isGiven) =>
        call(`${isGiven ? "PUT" : "DELETE"} /v1/shared-exercises/{id}/reactions/{emoji}`, { id, emoji }),
  );
