// @ts-check
/** Media that are only there to be read: they leave the account with their files. Without the page. */
import { call } from "../../../shared/api.js";

/** @param {(file: string) => boolean} isThere whether a file has not been removed */
export function scannedMedia(isThere) {
  /** @type {Map<string, string>} by file */
  const media = new Map();
  /** @param {string | undefined} id */
  const drop = (id) => void (id && call("DELETE /v1/media/{id}", { id }).catch(() => {}));
  return {
    /** A file has become a medium: another one than before, if it was tried again. @param {string} file @param {string} medium */
    add(file, medium) {
      drop(media.get(file));
      if (isThere(file)) media.set(file, medium);
      else drop(medium);
    },
    /** @param {string} file */
    remove(file) {
      drop(media.get(file));
      media.delete(file);
    },
    /** Nothing is read any more. */
    clear() {
      media.forEach(drop);
      media.clear();
    },
  };
}
