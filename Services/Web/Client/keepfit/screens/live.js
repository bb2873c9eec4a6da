// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { on } from "../../shared/realtime.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { exploreHeader, filterField, keepInAddress, searchField } from "../components/explore.js";
import { streamCard } from "../components/streams.js";
import { t } from "../screen-strings.js";
import { choices, loadWords } from "../words.js";

export const load = loadWords;

/**
 * Live workouts, those that are on first.
 * @param {void} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function liveScreen(_, { query }) {
  const filters = state({
    query: query.get("query") ?? "",
    type: query.get("type") ?? "",
    state: query.get("state") ?? "",
  });
  const list = paged((signal) => {
    const { query, type, state } = filters.get();
    const isLive = state === "live" ? state : undefined;
    return pages("GET /v1/livestreams", { query, workoutType: type, state: isLive, limit: 30 }, { signal });
  });
  /** @param {Partial<ReturnType<typeof filters.get>>} change */
  const choose = (change) => {
    filters.update((it) => ({ ...it, ...change }));
    keepInAddress("/explore/live", filters.get());
    list.reload();
  };
  on(["livestream.*", "resync"], () => list.reload());
  return h(
    "div.stack",
    null,
    exploreHeader("live", h("a.button.primary", { href: link("/create/live") }, t("goLive"))),
    h(
      "div.filters",
      { role: "search" },
      searchField({ label: t("searchLive"), value: filters.get().query, onsearch: (query) => choose({ query }) }),
      filterField({
        name: "type",
        label: t("workoutType"),
        value: filters.get().type,
        options: choices("workoutType"),
        onchoose: (type) => choose({ type }),
      }),
      filterField({
        name: "state",
        label: t("when"),
        value: filters.get().state,
        options: [{ value: "live", label: t("nowLive") }],
        onchoose: (state) => choose({ state }),
      }),
    ),
    listView(list, {
      key: (it) => it.id,
      label: t("live"),
      class: "cards",
      render: (stream) => h("div", null, () => streamCard(stream.get())),
      empty: {
        icon: "video",
        title: t("noStreams"),
        message: t("noStreamsHint"),
        action: h("a.button", { href: link("/create/live") }, t("goLive")),
      },
    }),
  );
}
