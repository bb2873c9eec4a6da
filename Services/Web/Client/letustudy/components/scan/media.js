// @ts-check
/** Media that are only there to be read: they leave the account with their files. Without the page. */
import { call, pause, Problem } from "../../../shared/api.js";

/**
 * Deletes a media item, also while the platform is briefly unavailable.
 * @param {string | undefined} id
 */
async function drop(id) {
  for (let wait = 1000; id && wait < 100_000; wait *= 4) {
    try {
      return void await call("DELETE /v1/media/{id}", { id });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (!error.isOffline && error.status < 500 && error.status !== 429) return;
    }
    await pause(wait);
  }
}

/** @param {(file: string) => boolean} isThere whether a file has not been removed */
export function scannedMedia(isThere) {
  /** @type {Map<string, string>} by file */
  const media = new Map();
  return {
    /** A file has become a media item: another one than before, if it was tried again. @param {string} file @param {string} medium */
    add(file, medium) {
      void drop(media.get(file));
      if (isThere(file)) media.set(file, medium);
      else void drop(medium);
    },
    /** @param {string} file */
    remove(file) {
      void drop(media.get(file));
      media.delete(file);
    },
    /** Nothing is read any more. */
    clear() {
      media.forEach((id) => void drop(id));
      media.clear();
    },
  };
}
