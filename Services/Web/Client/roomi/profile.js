// @ts-check
/** The caller's own roommate profile, which most screens need complete. */
import { call, pause, Problem } from "../shared/api.js";
import { go } from "../shared/router.js";
import { user } from "../shared/session.js";
import { effect, state } from "../shared/view.js";

/** @import { RoommateProfile } from "../../Types/api.d.ts" */

/** The stages of the set-up, in order. */
export const STAGES = /** @type {const} */ (["contact", "identity", "about", "preferences", "photos"]);
/** @typedef {(typeof STAGES)[number]} Stage */
/** @typedef {Partial<Pick<RoommateProfile, Stage>>} Stages */

/** `null` without one, `undefined` before it is loaded. */
export const profile = state(/** @type {RoommateProfile | null | undefined} */ (undefined));

export const hasProfile = () => profile.get()?.isComplete === true;

// another person's profile is another one
let owner = user.get()?.id;
effect(() => {
  const id = user.get()?.id;
  if (id !== owner) profile.set(undefined);
  owner = id;
});

/** @param {AbortSignal} [signal] */
export async function loadProfile(signal) {
  try {
    profile.set(await call("GET /v1/roommates/profile", {}, { signal }));
  } catch (error) {
    if (!Problem.is(error, "roommate-profile-not-found")) throw error;
    profile.set(null);
  }
  return profile.get() ?? null;
}

/**
 * For the `load` of screens that need a complete profile: leads to the set-up without one.
 * @param {import("../shared/router.js").Visit} visit
 * @returns {Promise<RoommateProfile>}
 */
export async function completeProfile({ signal }) {
  const known = profile.get() ?? await loadProfile(signal);
  if (known?.isComplete) return known;
  await go("/setup", { replace: true });
  throw new DOMException("The set-up comes first", "AbortError");
}

/**
 * @param {Stages} stages
 * @param {{ isComplete: boolean }} options
 */
export async function saveProfile(stages, { isComplete }) {
  const version = profile.get()?.version;
  profile.set(await call("PUT /v1/roommates/profile", { body: { ...stages, isComplete } }, { version }));
}

/** Deletes the profile with what it has led to, and the photos. */
export async function deleteProfile() {
  const photos = profile.get()?.photos;
  await call("DELETE /v1/roommates/profile");
  profile.set(null);
  if (photos) deletePhotos([photos.card, ...photos.others]);
}

/**
 * Photos that the profile does not show any more. They count as in use until the platform has noticed that, in a moment;
 * one that is used elsewhere stays.
 * @param {string[]} ids
 */
export async function deletePhotos(ids) {
  for (let wait = 1500; ids.length > 0 && wait < 15_000; wait *= 3) {
    await pause(wait);
    const deleted = await Promise.all(
      ids.map((id) =>
        call("DELETE /v1/media/{id}", { id }).then(() => true, (error) => {
          if (!Problem.is(error)) throw error;
          return error.code !== "media-in-use";
        })
      ),
    );
    ids = ids.filter((_, index) => !deleted[index]);
  }
}

/** What the API takes of a profile. @param {RoommateProfile | null | undefined} known @returns {Stages} */
export function stagesOf(known) {
  return Object.fromEntries(STAGES.flatMap((stage) => known?.[stage] ? [[stage, known[stage]]] : []));
}
