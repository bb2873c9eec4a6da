// @ts-check
/** Starts an app: who is signed in, the navigation around the screens, the screen of the address. */
import { failure } from "./components/states.js";
import { shell } from "./components/shell.js";
import { go, link, signInPath, startRouter } from "./router.js";
import { hasAccount, startSession, user } from "./session.js";
import { signInRoutes } from "./sign-in/routes.js";
import { effect, mount } from "./view.js";
import "./crashes.js";
import "./theme.js";

/** @import { Route } from "./router.js" */
/** @import { ShellLink } from "./components/shell.js" */

/** A guard for routes that are only for users. @param {{ path: string }} visit */
export const signedIn = ({ path }) => hasAccount() ? null : signInPath(path);

/**
 * @param {{ title: string, routes: Route[], links: () => ShellLink[], menu?: () => ShellLink[], actions?: () => Node[],
 *   onSignOut?: () => Promise<boolean>, frame?: typeof shell, worksOffline?: boolean }} options
 *   - `links`: the main navigation, at most five; followed, so it may depend on the user
 *   - `menu`: what is besides in the menu of the account
 *   - `onSignOut`: whether to sign out, such as after a question
 *   - `worksOffline`: starts without a connection, for who was signed in last
 *   - `frame`: what is around all screens, instead of the {@link shell}
 */
export async function startApp(options) {
  try {
    await startSession(options);
  } catch (error) {
    mount(document.body, () => failure(error, () => location.reload()));
    return;
  }
  const { root, outlet } = (options.frame ?? shell)(options);
  document.body.replaceChildren(...root);
  const routes = [...options.routes, ...signInRoutes(options.title), {
    path: "*",
    screen: () => import("./sign-in/missing.js"),
  }];
  await startRouter({ routes, outlet, title: options.title });
  let wasSignedIn = user.get() !== null;
  effect(() => {
    const isSignedIn = user.get() !== null;
    if (wasSignedIn && !isSignedIn) go(signInPath(location.pathname.slice(link("").length) || "/"));
    wasSignedIn = isSignedIn;
  });
}
