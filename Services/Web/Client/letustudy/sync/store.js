// @ts-check
/**
 * Everything that the user has, to be read at once and changed at once, with or without a connection. What is shown follows
 * changes of this tab, of other tabs, and of the server.
 */
import { state } from "../../shared/signals.js";
import { deleteDatabase, openDatabase, result, Transaction } from "./database.js";

/** @import { State } from "../../shared/signals.js" */
/** @import { LocalRecord, Operation, Refused } from "./record.js" */

/** @typedef {"sets" | "cards" | "studySettings" | "reviews" | "studySessions" | "quizResults"} Collection */

/**
 * What makes changes, and merges them: the first page does without it.
 * @type {typeof import("./changes.js") | undefined}
 */
let changes;

export class Store {
  /** @type {Map<string, State<Map<string, LocalRecord>>>} by collection; a new map with every change */
  #collections = new Map();
  /** How many operations the server has not confirmed. */
  pending = state(0);
  /** @type {State<Refused[]>} */
  refused = state(/** @type {Refused[]} */ ([]));
  /** What is added to this device's clock, in milliseconds. */
  offset = 0;
  /** Whether the server has ever answered: without, an empty device says nothing. */
  hasConnected = false;
  /** This device's name in hints of the server. */
  device = "";
  /** Called after every change of this tab. */
  onchange = () => {};
  #channel;
  #database;

  /** @param {string} user @param {IDBDatabase} database */
  constructor(user, database) {
    this.user = user;
    this.#database = database;
    this.#channel = new BroadcastChannel(`letustudy.${user}`);
    this.#channel.onmessage = ({ data }) => this.#reload(data);
    database.onversionchange = () => this.close();
  }

  /** @param {string} user */
  static async open(user) {
    const store = new Store(user, await openDatabase(user));
    await store.write(async (tx) => {
      for (const record of await tx.all()) tx.changed.set(`${record.collection} ${record.id}`, record);
    });
    return store;
  }

  close() {
    this.#channel.close();
    this.#database.close();
  }

  /** Deletes the user's data from this device. */
  async erase() {
    this.close();
    await deleteDatabase(this.user);
  }

  /** The time by the server's clock, as far as this device knows it. */
  now() {
    return Date.now() + this.offset;
  }

  // reading

  /** All records of a collection, also deleted ones; followed. @param {Collection} collection */
  all(collection) {
    return this.#signal(collection).get();
  }

  /** A record, unless it is deleted; followed. @param {Collection} collection @param {string} id */
  find(collection, id) {
    const record = this.all(collection).get(id);
    return record?.view && !record.view.isDeleted ? record : undefined;
  }

  /** @param {string} collection */
  #signal(collection) {
    let signal = this.#collections.get(collection);
    if (!signal) this.#collections.set(collection, signal = state(new Map()));
    return signal;
  }

  // changing

  /**
   * @template T
   * @param {(tx: Transaction) => Promise<T>} body
   * @returns {Promise<T>}
   */
  async write(body) {
    const { value, changed, state: after } = await Transaction.run(this.#database, body);
    this.offset = after.offset;
    this.device = after.device;
    this.hasConnected = after.hasConnected;
    this.#show(changed);
    await this.#count();
    if (changed.size > 0) this.#channel.postMessage([...changed.keys()].slice(0, 2000));
    return value;
  }

  /** @param {Map<string, LocalRecord | null>} changed */
  #show(changed) {
    const byCollection = Map.groupBy(changed, ([key]) => key.slice(0, key.indexOf(" ")));
    for (const [collection, entries] of byCollection) {
      const signal = this.#signal(collection);
      signal.update((known) => {
        const next = new Map(known);
        for (const [key, record] of entries) {
          const id = key.slice(collection.length + 1);
          if (record) next.set(id, record);
          else next.delete(id);
        }
        return next;
      });
    }
  }

  async #count() {
    const tx = this.#database.transaction(["pending", "refused"]);
    this.pending.set(await result(tx.objectStore("pending").count()));
    const refused = await result(tx.objectStore("refused").getAll());
    const ids = (/** @type {Refused[]} */ all) => all.map((it) => it.operation.id).join();
    if (ids(refused) !== ids(this.refused.get())) this.refused.set(refused);
  }

  /** What another tab has changed. @param {string[]} keys */
  async #reload(keys) {
    const records = this.#database.transaction("records").objectStore("records");
    const changed = await Promise.all(keys.map(async (key) => {
      const at = key.indexOf(" ");
      const record = await result(records.get([key.slice(0, at), key.slice(at + 1)]));
      return /** @type {[string, LocalRecord | null]} */ ([key, record ?? null]);
    }));
    this.#show(new Map(changed));
    await this.#count();
  }

  /** Loads what makes changes: with it, they begin at once, also while the page is being closed. */
  async prepare() {
    return changes ??= await import("./changes.js");
  }

  /**
   * Changes fields of a record, which is created when there is none. Fields that have the value already are left out.
   * @param {Collection} collection
   * @param {string} id
   * @param {Record<string, any>} fields
   * @param {{ set?: string, dismissed?: string[] }} [options] the set of a new card; variants that the user has decided against
   */
  async put(collection, id, fields, options) {
    await (changes ?? await this.prepare()).put(this, collection, id, fields, options);
    this.onchange();
  }

  /** @param {Collection} collection @param {string} id @param {"delete" | "restore"} action */
  async change(collection, id, action) {
    await (changes ?? await this.prepare()).change(this, collection, id, action);
    this.onchange();
  }

  /** Adds an entry to a log. @param {"reviews" | "studySessions" | "quizResults"} collection @param {Record<string, any>} fields */
  async append(collection, fields) {
    const id = await (changes ?? await this.prepare()).append(this, collection, fields);
    this.onchange();
    return id;
  }

  /** Moves an operation that the server does not take to those that the user sees. @param {Operation} operation @param {number} number @param {{ code: string, title: string, detail?: string }} problem */
  async refuse(operation, number, problem) {
    await (changes ?? await this.prepare()).refuse(this, operation, number, problem);
  }

  /** @param {string} operation */
  async dismissRefused(operation) {
    await this.write(async (tx) => void await result(tx.store("refused").delete(operation)));
  }

  // what is not synchronized

  /** @param {string} key @returns {Promise<any>} */
  value(key) {
    return result(this.#database.transaction("values").objectStore("values").get(key));
  }

  /** @param {string} key @param {any} value */
  async setValue(key, value) {
    await result(this.#database.transaction("values", "readwrite").objectStore("values").put(value, key));
  }
}
