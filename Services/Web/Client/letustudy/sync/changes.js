// @ts-check
/** What the user changes: it is seen at once, and in the queue until the server has it. */
import { result } from "./database.js";
import { isEqual, MERGED_TEXTS } from "./merge.js";
import { isLog, loadMerge, newRecord, rebase, seenVersion } from "./record.js";
import { nextVersion } from "./version.js";

/** @import { Transaction } from "./database.js" */
/** @import { LocalRecord, Operation } from "./record.js" */
/** @import { Collection, Store } from "./store.js" */

await loadMerge();

/**
 * @param {Store} store
 * @param {Collection} collection
 * @param {string} id
 * @param {Record<string, any>} fields
 * @param {{ set?: string, dismissed?: string[] }} [options]
 */
export const put = (store, collection, id, fields, { set, dismissed } = {}) =>
  store.write(async (tx) => {
    const known = await tx.find(collection, id);
    const before = known?.view?.fields;
    const changed = Object.entries(fields).filter(([name, value]) =>
      value !== undefined && !(before?.[name] && isEqual(before[name].value, value))
    );
    if (changed.length === 0 && !dismissed?.length && known) return;
    const texts = changed.filter(([name, value]) =>
      before && MERGED_TEXTS[collection]?.[name] && typeof value === "string"
    );
    const base = Object.fromEntries(texts.map(([name]) => [name, before?.[name]?.value ?? ""]));
    await enqueue(tx, known ?? newRecord(collection, id, set), {
      action: "put",
      fields: Object.fromEntries(changed),
      base: texts.length > 0 ? base : undefined,
      dismissed: dismissed?.length ? dismissed : undefined,
    });
  });

/** @param {Store} store @param {Collection} collection @param {string} id @param {"delete" | "restore"} action */
export const change = (store, collection, id, action) =>
  store.write(async (tx) => {
    const known = await tx.find(collection, id);
    if (known?.view && known.view.isDeleted === (action === "restore")) await enqueue(tx, known, { action });
  });

/** @param {Store} store @param {Collection} collection @param {Record<string, any>} fields */
export async function append(store, collection, fields) {
  const id = crypto.randomUUID();
  const known = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  await store.write((tx) => enqueue(tx, newRecord(collection, id), { action: "put", fields: known, id }));
  return id;
}

/** @param {Store} store @param {Operation} operation @param {number} number @param {{ code: string, title: string, detail?: string }} problem */
export const refuse = (store, operation, number, { code, title, detail }) =>
  store.write(async (tx) => {
    await tx.refuse({ operation, code, message: detail ?? title, at: Date.now() }, number);
    const record = await tx.find(operation.collection, operation.record);
    if (!record) return;
    const { hash } = record;
    rebase(record, (await tx.pendingOf(record.collection, record.id)).map((it) => it.operation));
    await tx.save(record, hash);
  });

/**
 * Puts what the user does now into the queue.
 * @param {Transaction} tx
 * @param {LocalRecord} record
 * @param {Pick<Operation, "action" | "fields" | "base" | "dismissed"> & { id?: string }} change
 */
async function enqueue(tx, record, { id = crypto.randomUUID(), ...change }) {
  const { state } = tx;
  const version = state.last = nextVersion(state.last, Date.now() + state.offset, state.clockDevice);
  const seen = seenVersion(record);
  /** @type {Operation} */
  const operation = {
    id,
    collection: record.collection,
    record: record.id,
    set: isLog(record.collection) ? undefined : record.set,
    version,
    seen: seen || undefined,
    ...change,
  };
  await result(tx.store("pending").add({ operation: JSON.parse(JSON.stringify(operation)) }));
  const { hash } = record;
  rebase(record, (await tx.pendingOf(record.collection, record.id)).map((it) => it.operation));
  await tx.save(record, hash);
}
