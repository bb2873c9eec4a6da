// @ts-check
/** A record on this device: the server's copy, with what has not been sent on top. */
import { recordHash } from "./hash.js";
import { versionOf } from "./version.js";

/** @import { SyncRecord } from "../../../Types/api.d.ts" */
/** @import { MergeRecord } from "./merge.js" */

/**
 * - `server`: the server's copy
 * - `view`: with the queued operations; what the user sees
 * - `hash`: what the server's copy adds to the checksum
 * - `generation`: when it was last received, see `DeviceState`
 * @typedef {{ collection: string, id: string, set?: string, server: MergeRecord | null, view: MergeRecord | null,
 *   hash?: string, generation: number, isPending: boolean }} LocalRecord
 */
/**
 * @typedef {{ id: string, collection: string, record: string, set?: string, action: "put" | "delete" | "restore",
 *   version: string, seen?: string, fields?: Record<string, any>, base?: Record<string, any>, dismissed?: string[] }} Operation
 */
/** An operation and its place in the queue. @typedef {{ number: number, operation: Operation }} Queued */
/** What the server has rejected, until the user dismisses it. @typedef {{ operation: Operation, code: string, field?: string, message: string, at: number }} Refused */
/**
 * - `last`: the greatest version issued or seen; `observed`: the greatest that came from the server
 * - `offset`: what is added to this device's clock to get the server's, in milliseconds
 * - `generation`: grows when records are read again; those with an older one by the end no longer exist
 * @typedef {{ device: string, clockDevice: string, last: string, observed: string, offset: number, hasConnected: boolean,
 *   cursor?: string, generation: number, isRefetchingAll: boolean, refetch?: string[],
 *   sums: Record<string, { count: number, sum: string }> }} DeviceState
 */

/** Only what waits for the server is merged, and most starts find nothing that does. */
let merge = /** @type {typeof import("./merge.js") | undefined} */ (undefined);

/** Loads the merge: a transaction, which ends when it waits for something else, cannot. */
export const loadMerge = async () => void (merge ??= await import("./merge.js"));

const LOGS = new Set(["reviews", "studySessions", "quizResults"]);

/** Whether the entries of a collection are written once and never changed. @param {string} collection */
export const isLog = (collection) => LOGS.has(collection);

/** @param {string} collection @param {string} id @param {string} [set] @returns {LocalRecord} */
export const newRecord = (collection, id, set) => ({
  collection,
  id,
  set,
  server: null,
  view: null,
  generation: 0,
  isPending: false,
});

/** A record of the wire as the merge sees it. @param {SyncRecord} record @returns {MergeRecord} */
export function contentOf(record) {
  const versions = /** @type {Record<string, string>} */ (record.versions ?? {});
  const fields = Object.entries(record.fields ?? {})
    .map(([name, value]) => [name, { value, version: versions[name] ?? record.version ?? "" }]);
  return {
    fields: Object.fromEntries(fields),
    variants: record.variants ?? [],
    isDeleted: record.isDeleted ?? false,
    lifecycle: record.lifecycle ?? "",
    revision: record.revision ?? "",
    hasLostEdits: record.hasLostEdits ?? false,
  };
}

/** Puts another copy of the server in the place of this one. @param {LocalRecord} local @param {SyncRecord} record */
export function replaceCopy(local, record) {
  const content = contentOf(record);
  // of a deleted record, the content that is known stays, so that it can be shown and restored
  if (content.isDeleted && Object.keys(content.fields).length === 0 && local.server) {
    Object.assign(content, { fields: local.server.fields, variants: local.server.variants });
  }
  local.server = content;
  local.set = record.set ?? local.set;
}

/**
 * @param {MergeRecord | null} content
 * @param {Operation} operation
 * @param {string} [version]
 * @returns {MergeRecord}
 */
export function withOperation(content, operation, version = operation.version) {
  if (isLog(operation.collection)) {
    const fields = /** @type {any} */ (operation.fields ?? {});
    return contentOf({ collection: operation.collection, id: operation.record, fields });
  }
  // another tab has just queued it: the next run finds it from the beginning
  if (!merge) throw new Error("the merge is not loaded");
  const { applyChange, emptyRecord, MERGED_TEXTS } = merge;
  return applyChange(content ?? emptyRecord(), { ...operation, version }, MERGED_TEXTS[operation.collection]).record;
}

/** Applies the queued operations to the server's copy again. @param {LocalRecord} local @param {Operation[]} pending */
export function rebase(local, pending) {
  local.isPending = pending.length > 0;
  local.view = pending.reduce((/** @type {MergeRecord | null} */ view, it) => withOperation(view, it), local.server);
  local.set ??= pending.find((it) => it.set)?.set;
  const isVisible = local.server && !local.server.isDeleted;
  local.hash = isVisible && local.server
    ? recordHash(local.server, local.collection, local.id).toString(16).padStart(16, "0")
    : undefined;
}

/** @param {LocalRecord} local */
export const seenVersion = (local) => local.server ? versionOf(local.server) : "";
