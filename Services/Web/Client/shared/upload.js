// @ts-check
/** Uploads that survive lost connections and reloads, by tus 1.0.0 (docs/uploads.md). */
import { pause, Problem, send } from "./api.js";
import { app, gateway } from "./app.js";

const PIECE = 4 << 20;

/**
 * - `kind`: another kind of file is refused
 * - `visibility`: `owner` if absent
 * - `onProgress`: with a number from 0 to 1
 * @typedef {{ kind?: "image" | "audio" | "video" | "document", title?: string,
 *   visibility?: "owner" | "connections" | "everyone", onProgress?: (part: number) => void, signal?: AbortSignal,
 *   pieceBytes?: number }} UploadOptions
 */

/**
 * Uploads a file and returns the id of its media item, which is processed from then on: see `mediaReady`. An upload of
 * the same file that was interrupted continues, also after the page was closed.
 * @param {File} file
 * @param {UploadOptions} [options]
 * @returns {Promise<string>}
 */
export async function upload(file, options = {}) {
  const key = `quintet.upload.${app}.${file.name}.${file.size}.${file.lastModified}.${options.kind ?? ""}`;
  const known = localStorage.getItem(key);
  const id = (known && await find(known, options)) || await create(file, options);
  localStorage.setItem(key, id);
  try {
    return await sendPieces(id, file, options);
  } catch (error) {
    const isOver = error instanceof Problem && !error.isOffline && error.status < 500 && error.status !== 401;
    if (isOver) localStorage.removeItem(key);
    throw error;
  } finally {
    if (finished.delete(id)) localStorage.removeItem(key);
  }
}

/** @type {Set<string>} */
const finished = new Set();

/** @param {Record<string, string>} [more] */
const headers = (more) => ({ "Tus-Resumable": "1.0.0", "Quintet-App": app, ...more });

/** @param {string} id */
const address = (id) => `${gateway}/v1/uploads/${id}`;

/** @param {string} text */
const base64 = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/**
 * @param {File} file
 * @param {UploadOptions} options
 */
async function create(file, { kind, title, visibility, signal }) {
  const metadata = Object.entries({ filename: file.name, kind, title, visibility })
    .filter(([, value]) => value).map(([key, value]) => `${key} ${base64(String(value))}`).join(",");
  // One that was announced twice and gets no bytes expires.
  const response = await send(`${gateway}/v1/uploads`, {
    method: "POST",
    headers: headers({ "Upload-Length": String(file.size), "Upload-Metadata": metadata }),
    signal,
  }, 3);
  const id = response.headers.get("Location")?.split("/").at(-1);
  if (!response.ok || !id) throw await Problem.of(response);
  return id;
}

/**
 * @param {string} id
 * @param {UploadOptions} options
 */
async function find(id, { signal }) {
  const response = await send(address(id), { method: "HEAD", headers: headers(), signal }, 3);
  return response.ok ? id : undefined;
}

/**
 * @param {string} id
 * @param {File} file
 * @param {UploadOptions} options
 */
async function sendPieces(id, file, { onProgress, signal, pieceBytes = PIECE }) {
  let failures = 0;
  let offset = -1;
  for (;;) {
    try {
      const response = offset < 0
        ? await send(address(id), { method: "HEAD", headers: headers(), signal }, 3)
        : await send(address(id), {
          method: "PATCH",
          headers: headers({ "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" }),
          body: file.slice(offset, offset + pieceBytes),
          signal,
        });
      const medium = response.headers.get("Upload-Media");
      if (medium) return finish(id, medium, onProgress);
      if (!response.ok) throw await Problem.of(response);
      offset = Number(response.headers.get("Upload-Offset"));
      onProgress?.(file.size > 0 ? offset / file.size : 0);
      failures = 0;
      // all bytes are there, and the media item is still being made
      if (offset >= file.size) {
        await pause(500, signal);
        offset = -1;
      }
    } catch (error) {
      if (!(error instanceof Problem) || !isTemporary(error) || ++failures > 8) throw error;
      await pause(Math.min(15_000, 500 * 2 ** failures), signal);
      offset = -1;
    }
  }
}

/**
 * @param {string} id
 * @param {string} medium
 * @param {((part: number) => void) | undefined} onProgress
 */
function finish(id, medium, onProgress) {
  finished.add(id);
  onProgress?.(1);
  return medium;
}

/** @param {Problem} problem */
function isTemporary({ code, status }) {
  return code === "offline" || code === "upload-offset-mismatch" || code === "upload-superseded" || status === 423 ||
    status === 429 || status >= 500;
}
