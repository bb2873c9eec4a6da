// @ts-check
/** Stores a response of the server (docs/sync.md): removed sets, results, changes, cursor, in one transaction. */
import { checksum } from "./hash.js";
import { isLog, newRecord, rebase, replaceCopy, seenVersion, withOperation } from "./record.js";
import { TOLERANCE } from "./tolerance.js";
import { clockCorrection, greatest } from "./version.js";
import { result } from "./database.js";

/** @import { SyncRecord, SyncResponse } from "../../../Types/api.d.ts" */
/** @import { Transaction } from "./database.js" */
/** @import { LocalRecord, Queued } from "./record.js" */

/** A request, with what it was made of. @typedef {{ cursor?: string, generation: number, deviceTime: number, operations: Queued[] }} Sent */

/**
 * @param {Transaction} tx
 * @param {SyncResponse} response
 * @param {Sent} sent
 * @returns {Promise<{ acknowledged: number, refused: number, pending: number, differing: string[] } | null>} `null` when
 *   another tab has synchronized meanwhile
 */
export async function applyResponse(tx, response, sent) {
  const { state } = tx;
  if (state.cursor !== sent.cursor || state.generation !== sent.generation) return null;
  /** @type {Map<string, { record: LocalRecord, hash?: string }>} */
  const touched = new Map();
  let [acknowledged, refused, isCorrected] = [0, 0, false];

  const touch = async (/** @type {string} */ collection, /** @type {string} */ id) => {
    const key = `${collection} ${id}`;
    let entry = touched.get(key);
    if (!entry) {
      const record = await tx.find(collection, id) ?? newRecord(collection, id);
      touched.set(key, entry = { record, hash: record.hash });
    }
    return entry.record;
  };
  const receive = async (/** @type {SyncRecord} */ change) => {
    const record = await touch(change.collection, change.id);
    replaceCopy(record, change);
    note(record);
  };
  const note = (/** @type {LocalRecord} */ record) => {
    record.generation = state.generation;
    state.observed = greatest(state.observed, seenVersion(record));
    state.last = greatest(state.last, state.observed);
  };

  // what was removed comes first: a set that was shared anew comes again in the same response
  if (response.removedSets.length > 0) {
    const gone = new Set(response.removedSets);
    for (const { collection, id, set } of await tx.all()) {
      const isOfSet = (collection === "sets" && gone.has(id)) || (collection === "cards" && gone.has(set ?? ""));
      if (isOfSet) (await touch(collection, id)).server = null;
    }
  }

  const results = new Map(response.results.map((it) => [it.operation, it]));
  for (const { number, operation } of sent.operations) {
    const answer = results.get(operation.id);
    if (!answer) continue;
    acknowledged++;
    if (answer.version) isCorrected = true;
    if (answer.status === "rejected") {
      refused++;
      const { code = "rejected", field, message = "" } = answer;
      await tx.refuse({ operation, code, field, message, at: Date.parse(response.serverTime) }, number);
      await touch(operation.collection, operation.record);
      continue;
    }
    await result(tx.store("pending").delete(number));
    const record = await touch(operation.collection, operation.record);
    if (answer.record) await receive(answer.record);
    else if (answer.status !== "merged" && (answer.status !== "duplicate" || isLog(operation.collection))) {
      record.server = withOperation(record.server, operation, answer.version);
      record.set ??= operation.set;
      note(record);
    }
  }
  for (const change of response.changes) await receive(change);
  await correctClock();

  const left = await tx.pending();
  const pendingOf = Map.groupBy(left, ({ operation }) => `${operation.collection} ${operation.record}`);
  for (const [key, { record, hash }] of touched) {
    rebase(record, (pendingOf.get(key) ?? []).map((it) => it.operation));
    await tx.save(record, hash);
  }
  state.cursor = response.cursor;
  state.hasConnected = true;
  const differing = response.hasMore ? [] : await finish();
  return { acknowledged, refused, pending: left.length, differing };

  /** Gives what has not been sent the times that it would have had by the server's clock. */
  async function correctClock() {
    const serverTime = Date.parse(response.serverTime);
    const difference = serverTime - sent.deviceTime;
    const skew = response.clockSkewMilliseconds ?? (Math.abs(difference) > TOLERANCE ? difference : 0);
    if (skew === 0 && !isCorrected) return;
    state.offset += skew;
    const correct = clockCorrection(serverTime, sent.deviceTime);
    for (const { operation } of sent.operations) correct(operation.version, operation.seen ?? "");
    let last = state.observed;
    for (const queued of await tx.pending()) {
      const { operation } = queued;
      const version = correct(operation.version, operation.seen ?? "");
      last = greatest(last, version);
      const isMoved = skew !== 0 && isLog(operation.collection);
      if (version === operation.version && !isMoved) continue;
      operation.version = version;
      if (isMoved && operation.fields) {
        operation.fields.at = new Date(Date.parse(operation.fields.at) + skew).toISOString();
      }
      await result(tx.store("pending").put(queued));
      await touch(operation.collection, operation.record);
    }
    state.last = last;
  }

  /** Removes what was not among the records that were read again, and compares the copies with the server's. */
  async function finish() {
    if (state.isRefetchingAll || state.refetch) {
      for (const record of await tx.all()) {
        const isConcerned = state.isRefetchingAll || (state.refetch?.includes(record.collection) && record.hash);
        if (!record.server || record.generation >= state.generation || !isConcerned) continue;
        const { hash } = record;
        record.server = null;
        rebase(record, (await tx.pendingOf(record.collection, record.id)).map((it) => it.operation));
        await tx.save(record, hash);
      }
      state.isRefetchingAll = false;
      delete state.refetch;
    }
    const differing = () =>
      (response.checksums ?? []).filter(({ collection, count, sum }) => {
        const ours = state.sums[collection] ?? checksum([]);
        return ours.count !== count || ours.sum !== sum;
      }).map((it) => it.collection);
    if (differing().length === 0) return [];
    // perhaps only the sums are wrong
    state.sums = {};
    for (const { collection, hash } of await tx.all()) tx.count(collection, undefined, hash);
    return differing();
  }
}
