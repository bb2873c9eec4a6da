// @ts-check
/** The study data of who is signed in, for all screens: opened before the first of them, closed at sign-out. */
import { call, pages, Problem } from "../shared/api.js";
import { signOut, user } from "../shared/session.js";
import { state } from "../shared/signals.js";

/** @import { Store } from "./sync/store.js" */
/** @import { StudySet } from "../../Types/api.d.ts" */
/** The part of a set that is not synchronized: who may change it. @typedef {Pick<StudySet, "id" | "role" | "isPublished" | "owner" | "lastOpenedAt">} Access */
/**
 * @typedef {{ store: Store, sync: ReturnType<typeof import("./sync/loop.js").syncLoop>, model: import("./study/model.js").StudyModel,
 *   access: import("../shared/signals.js").State<Map<string, Access>>, opened: import("../shared/signals.js").State<Record<string, number>> }} Study
 */

/** @type {Study | null} */
let current = null;
/** @type {Promise<unknown>} */
let opening = Promise.resolve();

/** What ends before the data is closed, such as the count of the time that is spent. @type {Set<() => void>} */
export const closings = new Set();

/** What is open; screens are only built when something is. @returns {Study} */
export function study() {
  if (!current) throw new Error("no one is signed in");
  return current;
}

/** Opens the data of a user for a screen that may change it. @param {string | null} user */
export async function openToChange(user) {
  await openStudy(user);
  await current?.store.prepare();
}

/** Whether something is open: not when signed out. */
export const isOpen = () => current !== null;

/** Opens the data of a user, or of no one. @param {string | null} user */
export function openStudy(user) {
  opening = opening.then(async () => {
    if (current?.store.user === user) return;
    closings.forEach((end) => end());
    current?.sync.stop();
    current?.store.close();
    current = null;
    if (user) current = await open(user);
  });
  return opening;
}

/** @param {string} user @returns {Promise<Study>} */
async function open(user) {
  // the first page of someone who is signed out needs none of this
  const [{ Store }, { syncLoop }, { studyModel }] = await Promise.all([
    import("./sync/store.js"),
    import("./sync/loop.js"),
    import("./study/model.js"),
  ]);
  const store = await Store.open(user);
  const access = state(new Map((await store.value("access") ?? []).map((/** @type {Access} */ it) => [it.id, it])));
  const opened = state(/** @type {Record<string, number>} */ (await store.value("opened") ?? {}));
  const sync = syncLoop(store, { onsynced: () => loadAccess(store, access) });
  // on a device that is new, there is nothing to show before
  if (!store.hasConnected) await sync.first;
  // the browser keeps the data also when space is short
  navigator.storage?.persist?.();
  return { store, sync, model: studyModel(store), access, opened };
}

/** @param {Store} store @param {Study["access"]} access */
async function loadAccess(store, access) {
  try {
    const all = [];
    for await (const page of pages("GET /v1/study-sets", {})) all.push(...page);
    const list = all.map(({ id, role, isPublished, owner, lastOpenedAt }) => ({
      id,
      role,
      isPublished,
      owner,
      lastOpenedAt,
    }));
    access.set(new Map(list.map((it) => [it.id, it])));
    await store.setValue("access", list);
  } catch (error) {
    if (!Problem.is(error)) throw error;
  }
}

/**
 * Loads a screen of a set. One that was only just shared, joined or attached to a course may not be on the device yet.
 * @param {import("../shared/router.js").Visit} visit
 */
export async function loadSet({ params: { id } }) {
  const { model, sync } = study();
  if (id && !model.setOf(id)) await sync.run();
}

/** Whether the user may change a set; sets that the server does not have yet are the user's own. @param {string} set */
export const mayEdit = (set) => (study().access.get().get(set)?.role ?? "owner") !== "viewer";

/** @param {string} set */
export const isOwner = (set) => (study().access.get().get(set)?.role ?? "owner") === "owner";

/** Notes that a set was opened, for the home page. @param {string} set */
export function noteOpened(set) {
  const { store, opened, access } = study();
  opened.update((known) => ({ ...known, [set]: Date.now() }));
  store.setValue("opened", opened.get());
  if (access.get().has(set)) call("PUT /v1/study-sets/{id}/opened", { id: set }).catch(() => {});
}

/**
 * Signs out who has not used the app for long. It asks nothing, because someone else may be at the device by now, and hides
 * everything before the platform knows. What has not been sent stays on the device until its owner signs in again.
 */
export async function leaveUnused() {
  const store = current?.store;
  user.set(null);
  await openStudy(null);
  if (store?.pending.get() === 0) await store.erase();
  await signOut();
}
