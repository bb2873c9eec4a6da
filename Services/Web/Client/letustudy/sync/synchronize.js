// @ts-check
/** One run of the synchronization: until the device has everything and has sent everything. */
import { call, Problem } from "../../shared/api.js";
import { TOLERANCE } from "./tolerance.js";

/** @import { Store } from "./store.js" */
/** @import { SyncResponse } from "../../../Types/api.d.ts" */
/** @import { Sent } from "./apply.js" */
/** @import { Transaction } from "./database.js" */

const MAX_OPERATIONS = 500;
const MAX_BYTES = 1 << 20;
/** How often a collection is read again before the run gives up. */
const MAX_REFETCHES = 2;

/**
 * Interrupted anywhere, nothing is lost and nothing takes effect twice; the next run continues.
 * @param {Store} store
 * @param {AbortSignal} signal
 */
export async function synchronize(store, signal) {
  let batch = MAX_OPERATIONS;
  /** @type {Map<string, number>} */
  const refetches = new Map();
  for (;;) {
    signal.throwIfAborted();
    const { body, sent } = await store.write((tx) => prepare(tx, batch));
    let response;
    try {
      response = await call("POST /v1/sync", { body }, { signal });
    } catch (error) {
      batch = await recover(store, error, sent);
      continue;
    }
    const outcome = await store.write((tx) => applyQuiet(tx, response, sent)) ?? await apply(store, response, sent);
    if (!outcome) continue;
    batch = Math.min(MAX_OPERATIONS, Math.max(1, batch) * 2);
    if (sent.operations.length > 0 && outcome.acknowledged === 0) throw new Error("no result for any operation");
    if (response.hasMore) continue;
    const wanted = outcome.differing.filter((it) => (refetches.get(it) ?? 0) < MAX_REFETCHES);
    if (wanted.length > 0) {
      for (const it of wanted) refetches.set(it, (refetches.get(it) ?? 0) + 1);
      await store.write(({ state }) => {
        state.refetch = wanted;
        state.generation++;
        return Promise.resolve();
      });
      continue;
    }
    if (outcome.pending === 0) return;
  }
}

/**
 * What follows from a response that brings nothing but a cursor, as most do: nothing has to be merged, and what merges is
 * not loaded. `undefined` for all others.
 * @param {Transaction} tx
 * @param {SyncResponse} response
 * @param {Sent} sent
 */
async function applyQuiet(tx, response, sent) {
  const { state } = tx;
  const { results, changes, removedSets, checksums = [], hasMore, clockSkewMilliseconds, serverTime } = response;
  const isConcurrent = state.cursor !== sent.cursor || state.generation !== sent.generation;
  const isFull = hasMore || [results, changes, removedSets, sent.operations].some((it) => it.length > 0);
  const isRefetching = state.isRefetchingAll || state.refetch;
  const isOff = clockSkewMilliseconds || Math.abs(Date.parse(serverTime) - sent.deviceTime) > TOLERANCE;
  const areDifferent = checksums.some(({ collection, count, sum }) =>
    (state.sums[collection]?.count ?? 0) !== count || (count > 0 && state.sums[collection]?.sum !== sum)
  );
  if (isConcurrent || isFull || isRefetching || isOff || areDifferent) return undefined;
  state.cursor = response.cursor;
  state.hasConnected = true;
  /** @type {string[]} */
  const differing = [];
  return { acknowledged: 0, refused: 0, pending: (await tx.pending()).length, differing };
}

/** @param {Store} store @param {SyncResponse} response @param {Sent} sent */
async function apply(store, response, sent) {
  const [{ applyResponse }, { loadMerge }] = await Promise.all([import("./apply.js"), import("./record.js")]);
  if (store.pending.get() > 0) await loadMerge();
  return await store.write((tx) => applyResponse(tx, response, sent));
}

/**
 * @param {Transaction} tx
 * @param {number} batch
 */
async function prepare(tx, batch) {
  const { state } = tx;
  // the first response shows how far the clock is off, before anything is sent with its times
  const queued = state.hasConnected && batch > 0 ? await tx.pending(batch) : [];
  let bytes = 0;
  const operations = queued.filter((it, index) => {
    bytes += JSON.stringify(it.operation).length * 2;
    return index === 0 || bytes < MAX_BYTES;
  });
  const deviceTime = Date.now() + state.offset;
  /** @type {Sent} */
  const sent = { cursor: state.cursor, generation: state.generation, deviceTime, operations };
  const body = {
    device: state.device,
    deviceTime: new Date(deviceTime).toISOString(),
    cursor: state.cursor,
    operations: operations.length > 0 ? operations.map((it) => it.operation) : undefined,
    refetch: /** @type {any} */ (state.refetch),
  };
  return { body: /** @type {any} */ (body), sent };
}

/**
 * What to do when a request as a whole is refused; other errors end the run.
 * @param {Store} store
 * @param {unknown} error
 * @param {Sent} sent
 * @returns {Promise<number>} how many operations to send next
 */
async function recover(store, error, sent) {
  if (!(error instanceof Problem)) throw error;
  if (error.code === "must-refetch" && sent.cursor) {
    // the operations have been taken; their results come with the next request
    await store.write(({ state }) => {
      if (state.cursor !== sent.cursor) return Promise.resolve();
      delete state.cursor;
      delete state.refetch;
      state.isRefetchingAll = true;
      state.generation++;
      return Promise.resolve();
    });
    return MAX_OPERATIONS;
  }
  if (![400, 413, 422].includes(error.status) || sent.operations.length === 0) throw error;
  if (sent.operations.length > 1) return Math.floor(sent.operations.length / 2);
  // one operation that the server does not take must not hold up the next ones
  const [{ operation, number }] = sent.operations;
  await store.refuse(operation, number, error);
  return 1;
}
