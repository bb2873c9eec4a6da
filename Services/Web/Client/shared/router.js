// @ts-check
/** Which screen belongs to the address: history, focus, title and announcement of a change, guards. */
import { announce } from "./components/toast.js";
import { Problem, SESSION_ENDED } from "./api.js";
import { base } from "./app.js";
import { isOutdated } from "./build.js";
import { mount, state } from "./view.js";
import { failure } from "./components/states.js";

/**
 * What a screen gets: `params` of the path, `query` of the address, and a `signal` that is aborted when it is left.
 * @typedef {{ params: Record<string, string>, query: URLSearchParams, signal: AbortSignal, path: string }} Visit
 */
/**
 * A module of `screens/`. `load` fetches what the screen needs, while the former screen stays; its problems become a page
 * with the reason. The default export builds the screen of it at once, so that its effects end with it; the first `h1` is
 * the page's title.
 * @typedef {{ load?: (visit: Visit) => any, default: (data: any, visit: Visit) => Node }} ScreenModule
 */
/**
 * - `path`: such as `/listings/{id}`; `*` matches all
 * - `screen`: imports the module
 * - `guard`: where to go instead, if anywhere
 * @typedef {{ path: string, screen: () => Promise<ScreenModule>, guard?: (visit: Visit) => string | null | undefined }} Route
 */

/** The path without the base, such as `/listings/01a2…`; changes before the screen is built. */
export const currentPath = state(relativePath());

/** Whether a screen is being loaded. */
export const isLoading = state(false);

/** @type {Route[]} */
let routes = [];
/** @type {HTMLElement} */
let outlet;
/** @type {AbortController | undefined} */
let visit;
let unmount = () => {};
let appTitle = "";
/** @type {Map<string, number>} where each visited page was scrolled to */
const scrollPositions = new Map();
/** @type {Set<() => string | null | undefined | false>} */
const blockers = new Set();

function relativePath() {
  const path = globalThis.location?.pathname ?? "/";
  return (path.startsWith(base) ? path.slice(base.length) : path) || "/";
}

/**
 * Starts to follow the address.
 * @param {{ routes: Route[], outlet: HTMLElement, title: string }} options
 */
export function startRouter(options) {
  ({ routes, outlet, title: appTitle } = options);
  history.scrollRestoration = "manual";
  history.replaceState({ page: crypto.randomUUID() }, "");
  document.addEventListener("click", followLink);
  globalThis.addEventListener("popstate", () => show(true));
  return show(true);
}

/**
 * The address of a path of the app, for `href`.
 * @param {string} path
 * @param {Record<string, string | number | undefined | null>} [query]
 */
export function link(path, query) {
  const entries = Object.entries(query ?? {}).filter(([, value]) =>
    value !== undefined && value !== null && value !== ""
  );
  const text = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString();
  return base + path + (text ? `?${text}` : "");
}

/**
 * @param {string} path of the app, with its query
 * @param {{ replace?: boolean }} [options]
 * @returns {Promise<void>}
 */
export function go(path, { replace = false } = {}) {
  scrollPositions.set(history.state?.page, scrollY);
  history[replace ? "replaceState" : "pushState"]({ page: crypto.randomUUID() }, "", base + path);
  return show(false);
}

/** Back, or to `path` when the app was opened on this page. @param {string} path */
export function back(path) {
  if (scrollPositions.size > 0) history.back();
  else go(path, { replace: true });
}

/** Builds the screen again, such as after a failure. */
export function refresh() {
  scrollPositions.set(history.state?.page, scrollY);
  return show(true);
}

/** Lets the user sign in, and come back to this page. */
export const toSignIn = () => go(signInPath(relativePath() + location.search));

/**
 * Asks before a link leaves the page while `question` returns a text; for forms with changes.
 * @param {() => string | null | undefined | false} question
 * @returns {() => void} ends it
 */
export function askBeforeLeaving(question) {
  blockers.add(question);
  return () => void blockers.delete(question);
}

globalThis.addEventListener?.("beforeunload", (event) => {
  if ([...blockers].some((question) => question())) event.preventDefault();
});

/** @param {MouseEvent} event */
function followLink(event) {
  const anchor = /** @type {Element} */ (event.target).closest?.("a[href]");
  if (!(anchor instanceof HTMLAnchorElement) || anchor.target || anchor.hasAttribute("download")) return;
  if (
    event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
  ) return;
  if (anchor.origin !== location.origin || !`${anchor.pathname}/`.startsWith(`${base}/`)) return;
  if (/^\/(assets|web|v1|s|docs)\//.test(anchor.pathname)) return;
  const isSamePage = anchor.pathname === location.pathname && anchor.search === location.search;
  if (anchor.hash && isSamePage) return;
  event.preventDefault();
  const question = [...blockers].map((it) => it()).find(Boolean);
  if (question && !confirm(question)) return;
  go(anchor.pathname.slice(base.length) + anchor.search + anchor.hash);
}

/**
 * The parameters if a path has the pattern's form.
 * @param {string} pattern
 * @param {string} path
 * @returns {Record<string, string> | null}
 */
export function match(pattern, path) {
  if (pattern === "*") return {};
  const [wanted, parts] = [pattern, path].map((it) => it.replace(/\/+$/, "").split("/"));
  if (wanted.length !== parts.length) return null;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [index, part] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name && parts[index]) params[name] = decodeURIComponent(parts[index]);
    else if (part !== parts[index]) return null;
  }
  return params;
}

/** @param {boolean} isReturn whether the page was there before, and is scrolled to where it was @returns {Promise<void>} */
async function show(isReturn) {
  visit?.abort(new DOMException("The page was left", "AbortError"));
  const controller = visit = new AbortController();
  const path = relativePath();
  const found = routes.map((route) => ({ route, params: match(route.path, path) })).find((it) => it.params);
  if (!found?.params) throw new Error("the routes need one with the path *");
  const context = {
    params: found.params,
    query: new URLSearchParams(location.search),
    signal: controller.signal,
    path: path + location.search,
  };
  const elsewhere = found.route.guard?.(context);
  if (elsewhere) return go(elsewhere, { replace: true });
  const isFirst = outlet.childElementCount === 0;
  currentPath.set(path);
  for (const dialog of document.querySelectorAll("dialog[open]")) /** @type {HTMLDialogElement} */ (dialog).close();
  isLoading.set(true);
  outlet.setAttribute("aria-busy", "true");
  /** @type {() => Node} */
  let build;
  try {
    const module = await found.route.screen();
    const data = await module.load?.(context);
    build = () => module.default(data, context);
  } catch (error) {
    if (controller.signal.aborted) return;
    if (Problem.is(error, ...SESSION_ENDED)) return go(signInPath(context.path), { replace: true });
    if (error instanceof TypeError && await isOutdated()) return location.reload();
    if (!Problem.is(error)) reportError(error);
    build = () => failure(error, refresh);
  }
  if (controller.signal.aborted) return;
  unmount();
  unmount = mount(outlet, build);
  outlet.removeAttribute("aria-busy");
  isLoading.set(false);
  enter(isReturn, isFirst);
}

/** Where someone signs in who wants to see `path`. @param {string} path */
export const signInPath = (path) => link("/sign-in", { next: path === "/" ? "" : path }).slice(base.length);

/**
 * Title, announcement, focus and place of a screen that has just been shown.
 * @param {boolean} isReturn
 * @param {boolean} isFirst
 */
function enter(isReturn, isFirst) {
  const heading = outlet.querySelector("h1");
  setTitle(heading?.textContent ?? "");
  scrollTo(0, isReturn ? scrollPositions.get(history.state?.page) ?? 0 : 0);
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  // the first page is read by screen readers anyway, and a field with `data-focus` gets the focus
  const wanted = outlet.querySelector("[data-focus]");
  if (wanted instanceof HTMLElement) return wanted.focus();
  if (isFirst) return;
  announce(document.title);
  const target = heading ?? outlet;
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

/** @param {string} title of the page, for screens whose heading comes later */
export function setTitle(title) {
  document.title = title && title !== appTitle ? `${title} · ${appTitle}` : appTitle;
}
