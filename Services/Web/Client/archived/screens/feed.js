// @ts-check
import { pages } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { loadLots, lotCard } from "../components/lots.js";
import { trackCard, trackRow } from "../components/track.js";
import { welcome } from "../components/welcome.js";
import { t } from "../strings.js";

/** @import { Lot } from "../components/lots.js" */
/** @typedef {NonNullable<import("../../../Types/api.d.ts").Operations["GET /v1/listings"]["args"]["sort"]>} Sort */
/** @type {Sort[]} */
const SORTS = ["newest", "popular", "price", "priceDescending"];

/** The feed of beats, and that of opens. @param {unknown} _ @param {import("../../shared/router.js").Visit} visit */
export default function feedScreen(_, { path, query, signal }) {
  const isBeats = !path.startsWith("/opens");
  const own = isBeats ? "/" : "/opens";
  const filter = state({
    query: query.get("query") ?? "",
    tag: query.get("tag") ?? "",
    sort: SORTS.find((it) => it === query.get("sort")) ?? "newest",
  });
  const feed = paged((signal) => {
    const { query, tag, sort } = filter.get();
    return pages("GET /v1/listings", { kind: isBeats ? "beat" : "open", query, tag, sort }, { signal });
  });
  /** @param {Partial<{ query: string, tag: string, sort: Sort }>} changes */
  const change = (changes) => {
    filter.update((it) => ({ ...it, ...changes }));
    const { query, tag, sort } = filter.get();
    history.replaceState(history.state, "", link(own, { query, tag, sort: sort === "newest" ? "" : sort }));
    feed.reload();
  };
  const isFiltered = () => filter.get().query !== "" || filter.get().tag !== "";
  return h(
    "div.stack",
    null,
    h(
      "header.feed-header",
      null,
      h("h1", null, t(isBeats ? "beats" : "opens")),
      h("p.soft", null, t(isBeats ? "beatsIntro" : "opensIntro")),
    ),
    isBeats && welcome(),
    isBeats && endingSoon(signal),
    filters(filter, change),
    listView(feed, {
      key: (it) => it.id,
      render: isBeats ? trackRow : trackCard,
      class: isBeats ? "tracks" : "cards",
      label: t(isBeats ? "beats" : "opens"),
      empty: isFiltered() ? { icon: "search", title: t("nothingFound"), message: t("nothingFoundHint") } : {
        icon: "music",
        title: t("feedEmpty"),
        message: t("feedEmptyHint"),
        action: h("a.button.primary", { href: link("/listings/new") }, icon("add"), t("sell")),
      },
    }),
  );
}

/**
 * @param {import("../../shared/signals.js").State<{ query: string, tag: string, sort: Sort }>} filter
 * @param {(changes: Partial<{ query: string, tag: string, sort: Sort }>) => void} change
 */
function filters(filter, change) {
  const search = h("input.input", {
    type: "search",
    name: "query",
    value: filter.get().query,
    placeholder: t("searchListings"),
    "aria-label": t("searchListings"),
  });
  const sort = h(
    "select.input",
    {
      "aria-label": t("sortBy"),
      value: filter.get().sort,
      onchange: () => change({ sort: /** @type {Sort} */ (sort.value) }),
    },
    SORTS.map((it) => h("option", { value: it }, t(`sort_${it}`))),
  );
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    change({ query: search.value.trim() });
  };
  return h(
    "form.filters",
    { role: "search", onsubmit: send },
    h("div.search-field", null, icon("search"), search),
    h("button.button", { type: "submit" }, text("search")),
    sort,
    () =>
      filter.get().tag &&
      h(
        "button.button.soft-accent.small",
        { type: "button", onclick: () => change({ tag: "" }), "aria-label": t("removeTag", { tag: filter.get().tag }) },
        icon("tag"),
        filter.get().tag,
        icon("close"),
      ),
  );
}

/** Auctions that can be bid in now. @param {AbortSignal} signal */
function endingSoon(signal) {
  const lots = state(/** @type {Lot[]} */ ([]));
  loadLots({ status: "open", limit: 20 }, signal)
    .then((all) => lots.set(all.sort((a, b) => a.auction.closesAt.localeCompare(b.auction.closesAt)).slice(0, 4)))
    .catch(() => {});
  return () =>
    lots.get().length > 0 &&
    h(
      "section.lots",
      { "aria-labelledby": "lots" },
      h(
        "div.spread",
        null,
        h("h2", { id: "lots" }, t("endingSoon")),
        h("a.button.quiet.small", { href: link("/auctions") }, t("allAuctions"), icon("next")),
      ),
      h("div.lot-list", null, lots.get().map(lotCard)),
    );
}
