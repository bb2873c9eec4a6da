// @ts-check
/** Media of the platform: addresses of their files, and when they are ready (docs/media.md). */
import { addressOf, call, pause, Problem } from "./api.js";

/** @import { Media } from "../../Types/api.d.ts" */

/**
 * The address of a picture at least this wide.
 * @param {string} id
 * @param {64 | 160 | 320 | 640 | 1280 | 2048} width
 */
export const thumbnail = (id, width) => addressOf("GET /v1/media/{id}/thumbnail", { id, width });

/** @param {string} id of a video */
export const poster = (id) => addressOf("GET /v1/media/{id}/poster", { id });

/** @param {string} id of a recording */
export const preview = (id) => addressOf("GET /v1/media/{id}/preview", { id });

/** @param {string} id of a video */
export const playlist = (id) => addressOf("GET /v1/media/{id}/hls/{file}", { id, file: "master.m3u8" });

/**
 * The file itself, which others than the owner get without its metadata.
 * @param {string} id
 */
export const content = (id) => addressOf("GET /v1/media/{id}/content", { id });

/**
 * Waits until a media item has been processed; throws the problem `media-failed` if that has failed.
 * @param {string} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<Media>}
 */
export async function mediaReady(id, signal) {
  let failures = 0;
  for (let wait = 300;; wait = Math.min(3000, wait * 1.4)) {
    // It is being processed meanwhile, whether or not the platform answers.
    const medium = await call("GET /v1/media/{id}", { id }, { signal }).catch((error) => {
      const isAway = error instanceof Problem && (error.isOffline || error.status === 503);
      if (!isAway || ++failures > 8) throw error;
    });
    if (medium?.state === "ready") return medium;
    if (medium?.state === "failed") {
      throw new Problem({
        status: 0,
        code: "media-failed",
        title: "The file could not be processed",
        detail: medium.failure,
      });
    }
    await pause(wait, signal);
  }
}
