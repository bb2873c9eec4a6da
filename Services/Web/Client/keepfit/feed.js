// @ts-check
/** The feed: what the user and the people whom the user follows show, from the lists that the API has of each. */
import { call, Problem } from "../shared/api.js";

/** @import { Livestream, Media, SharedExercise, SharedWorkout } from "../../Types/api.d.ts" */
/** @import { Person } from "./people.js" */
/**
 * @typedef {{ id: string, at: string, person: Person } & ({ kind: "workout", workout: SharedWorkout } |
 *   { kind: "exercise", exercise: SharedExercise } | { kind: "video", video: Media } |
 *   { kind: "stream", stream: Livestream })} Post
 */

/** Each is four requests, and two of the 50 topics that a stream of events may follow. */
export const MOST_PEOPLE = 16;

/**
 * Newest first. Who has blocked the user meanwhile is left out.
 * @param {Person[]} people
 * @param {AbortSignal} signal
 */
export const loadFeed = async (people, signal) => merge(await Promise.all(people.map((it) => postsOf(it, signal))));

/**
 * @param {Person} person
 * @param {AbortSignal} signal
 * @returns {Promise<Post[]>}
 */
async function postsOf(person, signal) {
  const { id } = person;
  const [workouts, exercises, videos, streams] = await Promise.all([
    call("GET /v1/shared-workouts", { user: id, limit: 10 }, { signal }).catch(none),
    call("GET /v1/shared-exercises", { user: id, limit: 10 }, { signal }).catch(none),
    call("GET /v1/media", { kind: "video", owner: id, sort: "newest", limit: 5 }, { signal }),
    call("GET /v1/livestreams", { host: id, limit: 5 }, { signal }),
  ]);
  /** @type {Post[][]} */
  const posts = [
    workouts.items.map((it) => ({ kind: "workout", id: it.id, at: it.sharing.sharedAt, person, workout: it })),
    exercises.items.map((it) => ({ kind: "exercise", id: it.id, at: it.sharedAt, person, exercise: it })),
    videos.items.filter(isPublished).map((it) => ({ kind: "video", id: it.id, at: it.createdAt, person, video: it })),
    streams.items.filter(isOpen).map((it) => ({ kind: "stream", id: it.id, at: it.createdAt, person, stream: it })),
  ];
  return posts.flat();
}

/** The user's own are listed in every state. @param {Media} video */
const isPublished = ({ state, visibility }) => state === "ready" && visibility !== "owner";

/** @param {Livestream} stream */
const isOpen = ({ state }) => state === "scheduled" || state === "live";

/**
 * Of someone who no longer lets the user see anything, there is nothing.
 * @param {unknown} error
 * @returns {{ items: any[] }}
 */
function none(error) {
  if (error instanceof Problem && error.status === 404) return { items: [] };
  throw error;
}

/**
 * Newest first, each once.
 * @template {{ id: string, at: string }} T
 * @param {T[][]} lists
 */
export function merge(lists) {
  const unique = new Map(lists.flat().map((it) => [it.id, it]));
  return [...unique.values()].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
