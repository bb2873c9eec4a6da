// @ts-check
/** A file becomes text, and text becomes drafts of cards, by the platform (docs/media.md). */
import { call, pages, pause, Problem } from "../../../shared/api.js";
import { mediaReady } from "../../../shared/media.js";
import { on } from "../../../shared/realtime.js";
import { upload } from "../../../shared/upload.js";
import { study } from "../../study.js";

/** @import { CardDraftView, Scan, ScannedPage, StudyDraftCardsBody } from "../../../../Types/api.d.ts" */
/** @import { Work } from "./queue.js" */

/** @typedef {StudyDraftCardsBody["rule"]} Rule */
/** @typedef {Pick<CardDraftView, "front" | "back" | "page" | "confidence"> & { id: string }} Draft */
/** @typedef {{ pages: ScannedPage[], drafts: Draft[] }} Recognized */

/** Events say when a scan has moved on; one may be missed. */
const LONGEST_WAIT = 5000;

/**
 * @param {string} set whose cards are drafted
 * @param {(id: string, media: string) => void} onmedia a file has become a media item, which is the user's from then on
 * @returns {Work<Recognized>}
 */
export const recognition = (set, onmedia) => async (file, { id, signal, report }) => {
  const media = await upload(file, { signal, onProgress: (part) => report({ phase: "uploading", part }) });
  onmedia(id, media);
  report({ phase: "preparing" });
  await mediaReady(media, signal);
  await scanned(
    media,
    signal,
    ({ pages, finishedPages }) => report({ phase: "reading", part: pages ? finishedPages / pages : undefined }),
  );
  const found = [];
  for await (const page of pages("GET /v1/media/{id}/scan/pages", { id: media }, { signal })) found.push(...page);
  return { pages: found, drafts: await draftCards(set, { media }, signal) };
};

/**
 * Has the text of a media item recognized.
 * @param {string} id
 * @param {AbortSignal} signal
 * @param {(scan: Scan) => void} onprogress
 */
async function scanned(id, signal, onprogress) {
  let wake = () => {};
  const stop = on(["scan.changed", "resync"], (data, name) => (name === "resync" || data.media === id) && wake());
  try {
    let scan = await call("POST /v1/media/{id}/scan", { id }, { signal, key: crypto.randomUUID() });
    while (scan.state !== "ready") {
      if (scan.state === "failed") {
        throw new Problem({
          status: 0,
          code: "media-failed",
          title: "The text could not be read",
          detail: scan.failure,
        });
      }
      onprogress(scan);
      await Promise.race([pause(LONGEST_WAIT, signal), new Promise((resolve) => wake = () => resolve(undefined))]);
      scan = await call("GET /v1/media/{id}/scan", { id }, { signal });
    }
  } finally {
    stop();
  }
}

/**
 * Drafts of all pages of a media item, or of a text.
 * @param {string} set
 * @param {StudyDraftCardsBody} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<Draft[]>}
 */
export async function draftCards(set, source, signal) {
  // the platform has to know the set
  if (study().store.pending.get() > 0) await study().sync.run();
  const drafts = [];
  /** @type {number | undefined} */
  let firstPage;
  do {
    const body = { ...source, firstPage };
    const page = await call("POST /v1/study-sets/{id}/drafts", { id: set, body }, { signal, key: crypto.randomUUID() });
    drafts.push(...page.drafts);
    firstPage = page.nextPage;
  } while (firstPage);
  return drafts.map(({ front, back, page, confidence }) => ({
    id: crypto.randomUUID(),
    front,
    back,
    page,
    confidence,
  }));
}
