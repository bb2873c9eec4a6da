// @ts-check
/**
 * The settings of the seed: the same on every device, kept on this one, and in effect at once. Dark, reverse colors,
 * brightness and larger text change the page; sound, reading aloud and the time until sign-out what the app does.
 */
import { call, Problem } from "../shared/api.js";
import { effect, state } from "../shared/signals.js";
import { theme } from "../shared/theme.js";
import { user } from "../shared/session.js";

/** @import { VersionedSettings } from "../../Types/api.d.ts" */

const KEY = "quintet.letustudy.settings";

/** @type {VersionedSettings} */
const DEFAULTS = {
  notifications: true,
  darkMode: false,
  sound: true,
  accessibility: false,
  reverseColor: false,
  voiceOver: false,
  brightness: 50,
  role: "student",
  version: 0,
};

export const preferences = state(
  /** @type {VersionedSettings} */ ({
    ...DEFAULTS,
    ...JSON.parse(localStorage.getItem(KEY) ?? "{}"),
  }),
);

/** Whether there is a change that the platform does not have yet. */
let isChanged = localStorage.getItem(`${KEY}.changed`) === "true";

/** @param {Partial<VersionedSettings>} change */
export async function changePreferences(change) {
  preferences.update((known) => ({ ...known, ...change }));
  if (change.darkMode !== undefined) theme.set(change.darkMode ? "dark" : "device");
  note(true);
  await send();
}

/** @param {boolean} value */
function note(value) {
  isChanged = value;
  localStorage.setItem(`${KEY}.changed`, String(value));
}

/** Sends a change; another device's change in between is overwritten, since a setting is what was chosen last. */
async function send() {
  const { version: _, ...body } = preferences.get();
  try {
    const { version } = await call("GET /v1/users/me/settings");
    preferences.set(await call("PUT /v1/users/me/settings", { body }, { version }));
    note(false);
  } catch (error) {
    if (!(error instanceof Problem) || !(error.isOffline || error.status >= 500)) throw error;
  }
}

async function load() {
  if (isChanged) return await send();
  const known = await call("GET /v1/users/me/settings");
  preferences.set(known);
  if (known.darkMode) theme.set("dark");
}

/** Puts the settings into effect, and signs out after the chosen time without use. @param {() => Promise<void>} signOut */
export function followPreferences(signOut) {
  const root = document.documentElement;
  effect(() => {
    const { reverseColor, brightness, accessibility, ...others } = preferences.get();
    localStorage.setItem(KEY, JSON.stringify({ reverseColor, brightness, accessibility, ...others }));
    root.classList.toggle("is-reversed", reverseColor);
    root.classList.toggle("is-accessible", accessibility);
    root.style.setProperty("--brightness", String(0.6 + brightness / 125));
    root.classList.toggle("has-brightness", brightness !== 50);
  });
  effect(() => {
    if (user.get()) load().catch(() => {});
  });
  globalThis.addEventListener("online", () => user.get() && load().catch(() => {}));
  watchUse(signOut);
}

/**
 * Signs out after the chosen time without use of any tab of the app, also when it was closed. The time stays over until the
 * platform knows of it, whatever someone at the device does, and also when the page is loaded again.
 * @param {() => Promise<void>} signOut
 */
function watchUse(signOut) {
  const usedKey = `${KEY}.used`;
  let isLeaving = false;
  const note = () => localStorage.setItem(usedKey, String(Date.now()));
  const isDue = () => {
    if (isLeaving) return true;
    const { logOutAfterMinutes } = preferences.get();
    const used = localStorage.getItem(usedKey);
    if (!user.get() || !logOutAfterMinutes || !used) return false;
    return Date.now() - Number(used) > logOutAfterMinutes * 60_000;
  };
  const use = () => {
    if (!isDue()) note();
  };
  const check = async () => {
    if (!isDue()) return;
    isLeaving = true;
    try {
      await signOut();
    } catch (error) {
      // without a connection, it is tried again
      if (!Problem.is(error)) throw error;
      return;
    }
    isLeaving = false;
    note();
  };
  effect(() => {
    if (!user.get() || !isLeaving) return;
    // who has signed in again needs no sign-out
    isLeaving = false;
    note();
  });
  check();
  use();
  for (const name of ["pointerdown", "keydown", "scroll"]) addEventListener(name, use, { passive: true });
  setInterval(check, 10_000);
}
