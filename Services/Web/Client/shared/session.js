// @ts-check
/** Who is signed in to this app. The tokens are in a cookie that only the gateway reads. */
import { call, onSessionEnd, Problem, send } from "./api.js";
import { app, gateway } from "./app.js";
import { effect, state } from "./signals.js";

/** @import { Account, Authentication } from "../../Types/api.d.ts" */

/** The account that is signed in; `null` if none is. Set by {@link startSession}. */
export const user = state(/** @type {Account | null} */ (null));

/** What the last sign-in said besides: fields that the app still asks for, a missing second factor. */
export const signInNotes = state(
  /** @type {Pick<Authentication, "missingFields" | "missingFactor"> | null} */ (null),
);

const KEY = `quintet.${app}.user`;

/**
 * Asks the gateway who is signed in. Call it once, before the first screen.
 * @param {{ worksOffline?: boolean }} [options] `worksOffline`: without a connection, it is who was signed in last
 */
export async function startSession({ worksOffline = false } = {}) {
  onSessionEnd(() => user.set(null));
  try {
    const response = await send(`${gateway}/session`, {}, 2);
    if (!response.ok) throw await Problem.of(response);
    const answer = await response.json();
    user.set(answer.isSignedIn ? answer.user : null);
  } catch (error) {
    const isAway = error instanceof Problem && (error.isOffline || error.status >= 500);
    const known = localStorage.getItem(KEY);
    if (!worksOffline || !isAway || !known) throw error;
    user.set(JSON.parse(known));
  }
  if (worksOffline) remember();
}

/** Keeps who is signed in on this device. */
function remember() {
  effect(() => {
    const account = user.get();
    if (account) localStorage.setItem(KEY, JSON.stringify(account));
    else localStorage.removeItem(KEY);
  });
}

/**
 * Signs in with the answer to a sign-in: of `POST /v1/auth/login` and its relatives.
 * @param {Omit<Authentication, "accessToken" | "refreshToken" | "tokenType" | "expiresIn"> | Authentication} grant
 */
export function signedIn(grant) {
  signInNotes.set({ missingFields: grant.missingFields, missingFactor: grant.missingFactor });
  user.set(grant.user);
}

/** Loads the account again, after something else has changed it. */
export async function reloadUser() {
  user.set(await call("GET /v1/users/me"));
}

/** Takes over what the account may do by now, such as after a change of its roles or plan. */
export async function renewSession() {
  const response = await send(`${gateway}/session`, { method: "POST", headers: { "Quintet-App": app } });
  if (!response.ok) throw await Problem.of(response);
  await reloadUser();
}

/** Signs out of this app, on this device. */
export async function signOut() {
  const response = await send(`${gateway}/session`, { method: "DELETE", headers: { "Quintet-App": app } });
  if (!response.ok && response.status !== 401) throw await Problem.of(response);
  signInNotes.set(null);
  user.set(null);
}

/** Whether someone with an account is signed in: a guest has a session, but only for the cart. */
export const hasAccount = () => user.get() !== null && !hasRole("guest");

/** @param {...Account["roles"][number]} roles */
export const hasRole = (...roles) => roles.some((role) => user.get()?.roles.includes(role));
