// @ts-check
/** The addresses of signing in, the same in every app. */
import { hasAccount } from "../session.js";

/** Where to go after signing in: only pages of this app. @param {URLSearchParams} query */
export function nextPath(query) {
  const next = query.get("next") ?? "/";
  return /^\/(?![/\\])/.test(next) ? next : "/";
}

/** @param {{ query: URLSearchParams }} visit */
const signedOut = ({ query }) => hasAccount() ? nextPath(query) : null;

/**
 * @param {string} product the app's name
 * @returns {import("../router.js").Route[]}
 */
export function signInRoutes(product) {
  /** @param {() => Promise<{ default: (product: string, visit: any) => Node }>} load */
  const named = (load) => async () => ({ ...await load(), load: () => product });
  return [
    { path: "/sign-in", guard: signedOut, screen: named(() => import("./sign-in.js")) },
    { path: "/sign-up", guard: signedOut, screen: named(() => import("./sign-up.js")) },
    { path: "/forgot-password", guard: signedOut, screen: named(() => import("./forgot-password.js")) },
  ];
}
