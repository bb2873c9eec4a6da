// @ts-check
/** Lists that load page by page: what they show meanwhile, when empty, and after a failure. */
import { isLastPage, Problem } from "../api.js";
import { text } from "../text.js";
import { each, h, onCleanUp, state, untracked } from "../view.js";
import { empty, problemText, skeleton, spinner } from "./states.js";

/** @import { State } from "../signals.js" */

/**
 * - `items` may be changed by others, such as when an event adds one
 * - `reload` begins again with the first page
 * - `refresh` loads again what is shown, which stays meanwhile, and also when that fails: for events, the next of which tries
 *   again
 * @template T
 * @typedef {{ items: State<T[]>, phase: State<"loading" | "ready" | "more" | "failed">, hasMore: State<boolean>,
 *   error: State<unknown>, more: () => Promise<void>, reload: () => Promise<void>, refresh: () => Promise<void> }} Paged
 */

/**
 * The items of a list of the API: `paged((signal) => pages("GET /v1/listings", { kind: "beat" }, { signal }))`. `open` is
 * called again by `reload` and `refresh`, so it may read signals such as a search text.
 * @template T
 * @param {(signal: AbortSignal) => AsyncIterator<T[], any, any>} open
 * @returns {Paged<T>}
 */
export function paged(open) {
  const items = state(/** @type {T[]} */ ([]));
  const phase = state(/** @type {"loading" | "ready" | "more" | "failed"} */ ("loading"));
  const [hasMore, error] = [state(true), state(/** @type {unknown} */ (null))];
  let controller = new AbortController();
  let source = untracked(() => open(controller.signal));
  /** @type {AbortController | undefined} */
  let refreshing;

  async function more() {
    const { signal } = controller;
    phase.set(items.get().length > 0 ? "more" : "loading");
    try {
      const { value, done } = await source.next();
      if (signal.aborted) return;
      const page = value ?? [];
      items.update((known) => [...known, ...page]);
      hasMore.set(!done && !isLastPage(page));
      phase.set("ready");
    } catch (reason) {
      if (signal.aborted) return;
      error.set(reason);
      phase.set("failed");
    }
  }

  function reload() {
    stop();
    controller = new AbortController();
    source = untracked(() => open(controller.signal));
    items.set([]);
    return more();
  }

  async function refresh() {
    // an answer from before the latest event is old
    refreshing?.abort();
    const fresh = refreshing = new AbortController();
    /** @type {T[]} */
    const all = [];
    try {
      const pages = untracked(() => open(fresh.signal));
      let isLast = false;
      do {
        const { value, done } = await pages.next();
        if (fresh.signal.aborted) return;
        all.push(...value ?? []);
        isLast = Boolean(done) || isLastPage(value);
      } while (!isLast && all.length < items.get().length);
      controller.abort();
      [controller, source, refreshing] = [fresh, pages, undefined];
      items.set(all);
      hasMore.set(!isLast);
      phase.set("ready");
    } catch (reason) {
      if (!fresh.signal.aborted && !Problem.is(reason)) throw reason;
    }
  }

  function stop() {
    controller.abort();
    refreshing?.abort();
  }

  onCleanUp(stop);
  untracked(more);
  return { items, phase, hasMore, error, more, reload, refresh };
}

/**
 * @template T
 * @param {Paged<T>} list
 * @param {{ key: (item: T) => unknown, render: (item: State<T>) => Node, empty: Parameters<typeof empty>[0], label: string,
 *   class?: string, tag?: "ul" | "ol" }} options
 *   - `render`: the content of a list item
 *   - `class`: such as `cards` or `rows`
 */
export function listView(list, { key, render, empty: nothing, label, class: kind = "rows", tag = "ul" }) {
  const isEmpty = () => list.items.get().length === 0;
  const phase = () => list.phase.get();
  return h(
    "div.list-view",
    { "aria-busy": () => String(phase() === "loading" || phase() === "more") },
    () => isEmpty() && phase() === "loading" && skeleton(4),
    () => isEmpty() && phase() === "ready" && empty(nothing),
    h(
      tag,
      { class: kind, "aria-label": label, role: "list", hidden: isEmpty },
      each(list.items, key, (item) => h("li", null, render(item))),
    ),
    () =>
      phase() === "failed" &&
      h(
        "div.list-failure",
        { role: "alert" },
        h("p", null, problemText(list.error.get())),
        h("button.button", { type: "button", onclick: isEmpty() ? list.reload : list.more }, text("tryAgain")),
      ),
    () => phase() === "more" && h("p.list-more", null, spinner(), text("loading")),
    () =>
      !isEmpty() && phase() === "ready" && list.hasMore.get() &&
      h("p.list-more", null, h("button.button", { type: "button", onclick: list.more }, text("more"))),
  );
}
