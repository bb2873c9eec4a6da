// @ts-check
/** The feed: what the user and the people whom the user follows show, from the lists that the API has of each. */
import { call } from "../shared/api.js";

/** @import { Livestream, Media, SharedExercise, SharedWorkout } from "../../Types/api.d.ts" */
/** @import { Person } from "./people.js" */
/**
 * @typedef {{ id: string, at: string, person: Person } & ({ kind: "workout", workout: SharedWorkout } |
 *   { kind: "exercise", exercise: SharedExercise } | { kind: "video", video: Media } |
 *   { kind: "stream", stream: Livestream })} Post
 */

/** A stream of events follows at most 50 topics, two for each person. */
export const MOST_PEOPLE = 24;

/**
 * Newest first. Who has blocked the user meanwhile is left out.
 * @param {Person[]} people
 * @param {AbortSignal} signal
 * @returns {Promise<Post[]>}
 */
export async function loadFeed(people, signal) {
  const byID = new Map(people.map((it) => [it.id, it]));
  const [videos, streams, ...progress] = await Promise.all([
    call("GET /v1/media", { kind: "video", sort: "newest", limit: 50 }, { signal }),
    call("GET /v1/livestreams", { limit: 50 }, { signal }),
    ...people.map((it) => progressOf(it, signal)),
  ]);
  return merge([
    ...progress,
    ofPeople(byID, videos.items, (it) => it.owner, (video, person) => ({
      kind: "video",
      id: video.id,
      at: video.createdAt,
      person,
      video,
    })).filter((it) => it.kind === "video" && it.video.state === "ready" && it.video.visibility !== "owner"),
    ofPeople(byID, streams.items, (it) => it.hostID, (stream, person) => ({
      kind: "stream",
      id: stream.id,
      at: stream.createdAt,
      person,
      stream,
    })),
  ]);
}

/**
 * @param {Person} person
 * @param {AbortSignal} signal
 * @returns {Promise<Post[]>}
 */
async function progressOf(person, signal) {
  const args = { user: person.id, limit: 10 };
  const [workouts, exercises] = await Promise.all([
    call("GET /v1/shared-workouts", args, { signal }),
    call("GET /v1/shared-exercises", args, { signal }),
  ].map((it) => it.catch((error) => missing(error))));
  return [
    ...workouts.items.map((/** @type {SharedWorkout} */ workout) => ({
      kind: /** @type {const} */ ("workout"),
      id: workout.id,
      at: workout.sharing.sharedAt,
      person,
      workout,
    })),
    ...exercises.items.map((/** @type {SharedExercise} */ exercise) => ({
      kind: /** @type {const} */ ("exercise"),
      id: exercise.id,
      at: exercise.sharedAt,
      person,
      exercise,
    })),
  ];
}

/** @param {any} error @returns {any} */
function missing(error) {
  if (error.status === 404 || error.status === 403) return { items: [] };
  throw error;
}

/**
 * @template T
 * @param {Map<string, Person>} people
 * @param {T[]} items
 * @param {(item: T) => string} owner
 * @param {(item: T, person: Person) => Post} make
 */
const ofPeople = (people, items, owner, make) =>
  items.flatMap((it) => {
    const person = people.get(owner(it));
    return person ? [make(it, person)] : [];
  });

/**
 * Newest first, each once.
 * @template {{ id: string, at: string }} T
 * @param {T[][]} lists
 */
export function merge(lists) {
  const unique = new Map(lists.flat().map((it) => [it.id, it]));
  return [...unique.values()].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
