// @ts-check
/** The data of one user on this device, in IndexedDB: what the server has sent, what it has not got yet, where we are. */

/** @import { DeviceState, LocalRecord, Queued, Refused } from "./record.js" */

/** @param {string} user */
const nameOf = (user) => `letustudy.${user}`;

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
export const result = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @param {string} user @returns {Promise<IDBDatabase>} */
export function openDatabase(user) {
  const request = indexedDB.open(nameOf(user), 1);
  request.onupgradeneeded = () => {
    const database = request.result;
    database.createObjectStore("records", { keyPath: ["collection", "id"] });
    database.createObjectStore("pending", { keyPath: "number", autoIncrement: true })
      .createIndex("record", ["operation.collection", "operation.record"]);
    database.createObjectStore("refused", { keyPath: "operation.id" });
    database.createObjectStore("values");
  };
  return result(request);
}

/** @param {string} user */
export const deleteDatabase = (user) => result(/** @type {IDBRequest<any>} */ (indexedDB.deleteDatabase(nameOf(user))));

/** @returns {DeviceState} */
const firstState = () => ({
  device: crypto.randomUUID(),
  clockDevice: [...crypto.getRandomValues(new Uint8Array(8))].map((it) => it.toString(16).padStart(2, "0")).join(""),
  last: "",
  observed: "",
  offset: 0,
  hasConnected: false,
  generation: 0,
  isRefetchingAll: false,
  sums: {},
});

/** One transaction on everything: records, queue and clock change together or not at all. */
export class Transaction {
  /** @type {Map<string, LocalRecord | null>} what has changed, to be shown; `null` when it is gone */
  changed = new Map();
  /** @type {DeviceState} */
  state = firstState();
  #tx;

  /** @param {IDBDatabase} database */
  constructor(database) {
    this.#tx = database.transaction(["records", "pending", "refused", "values"], "readwrite");
  }

  /**
   * Runs `body`; everything is undone when it fails.
   * @template T
   * @param {IDBDatabase} database
   * @param {(tx: Transaction) => Promise<T>} body
   */
  static async run(database, body) {
    const tx = new Transaction(database);
    const done = new Promise((resolve, reject) => {
      tx.#tx.oncomplete = resolve;
      tx.#tx.onabort = () => reject(tx.#tx.error ?? new Error("the transaction was aborted"));
    });
    done.catch(() => {});
    try {
      tx.state = await result(tx.store("values").get("state")) ?? tx.state;
      const value = await body(tx);
      await result(tx.store("values").put(tx.state, "state"));
      await done;
      return { value, changed: tx.changed, state: tx.state };
    } catch (error) {
      try {
        tx.#tx.abort();
      } catch {
        // it has ended already
      }
      throw error;
    }
  }

  /** @param {"records" | "pending" | "refused" | "values"} name */
  store(name) {
    return this.#tx.objectStore(name);
  }

  /** @param {string} collection @param {string} id @returns {Promise<LocalRecord | undefined>} */
  find(collection, id) {
    return result(this.store("records").get([collection, id]));
  }

  /** @returns {Promise<LocalRecord[]>} */
  all() {
    return result(this.store("records").getAll());
  }

  /** Stores a record; one that neither the server nor the queue has is deleted. @param {LocalRecord} record @param {string | undefined} oldHash */
  async save(record, oldHash) {
    const { collection, id } = record;
    this.count(collection, oldHash, record.hash);
    if (record.view) await result(this.store("records").put(record));
    else await result(this.store("records").delete([collection, id]));
    this.changed.set(`${collection} ${id}`, record.view ? record : null);
  }

  /** Keeps the checksum of a collection. @param {string} collection @param {string} [removed] @param {string} [added] */
  count(collection, removed, added) {
    if (removed === added) return;
    const { count, sum } = this.state.sums[collection] ?? { count: 0, sum: "0" };
    const value = BigInt(`0x${sum}`) - BigInt(`0x${removed ?? 0}`) + BigInt(`0x${added ?? 0}`);
    this.state.sums[collection] = {
      count: count + (added ? 1 : 0) - (removed ? 1 : 0),
      sum: BigInt.asUintN(64, value).toString(16).padStart(16, "0"),
    };
  }

  /**
   * What waits for a record, in order.
   * @param {string} collection
   * @param {string} id
   * @returns {Promise<Queued[]>}
   */
  pendingOf(collection, id) {
    return result(this.store("pending").index("record").getAll([collection, id]));
  }

  /**
   * The oldest operations.
   * @param {number} [limit]
   * @returns {Promise<Queued[]>}
   */
  pending(limit) {
    return result(this.store("pending").getAll(null, limit));
  }

  /** @param {Refused} refused @param {number} number of the operation in the queue */
  async refuse(refused, number) {
    await result(this.store("refused").put(refused));
    await result(this.store("pending").delete(number));
  }
}
