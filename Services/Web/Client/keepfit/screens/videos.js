// @ts-check
import { call, pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { isOn } from "../../shared/features.js";
import { number } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { exploreHeader, filterButton, filterField, keepInAddress, searchField } from "../components/explore.js";
import { findPerson } from "../people.js";
import { t } from "../screen-strings.js";
import { videoCard } from "../components/videos.js";
import { choices, loadWords } from "../words.js";

/** @import { Visit } from "../../shared/router.js" */

/** @param {Visit} visit */
export async function load({ signal, query }) {
  const owner = query.get("owner") ?? "";
  const [counts, person] = await Promise.all([
    call("GET /v1/media/counts", { kind: "video" }, { signal }),
    owner ? findPerson(owner) : null,
    loadWords(),
  ]);
  return { counts, person };
}

/**
 * All videos, by words, type of workout, tag and owner; or those that the user has saved.
 * @param {Awaited<ReturnType<typeof load>>} data
 * @param {Visit} visit
 */
export default function videosScreen({ counts, person }, { query }) {
  const filters = state({
    query: query.get("query") ?? "",
    type: query.get("type") ?? "",
    tag: query.get("tag") ?? "",
    owner: query.get("owner") ?? "",
    saved: query.get("saved") ?? "",
  });
  const list = paged((signal) => {
    const { query, type, tag, owner, saved } = filters.get();
    if (saved) return pages("GET /v1/media/saved", {}, { signal });
    return pages("GET /v1/media", { kind: "video", query, workoutType: type, tag, owner, limit: 24 }, { signal });
  });
  /** @param {Partial<ReturnType<typeof filters.get>>} change */
  const choose = (change) => {
    filters.update((it) => ({ ...it, ...change }));
    keepInAddress("/explore/videos", filters.get());
    list.reload();
  };
  const isFiltered = () => Object.values(filters.get()).some(Boolean);
  const known = new Map(counts.workoutTypes.map((it) => [it.value, it.count]));
  const types = choices("workoutType").filter((it) => known.has(it.value) || it.value === filters.get().type);
  return h(
    "div.stack",
    null,
    exploreHeader(
      "videos",
      () => isOn("uploads") && h("a.button.primary", { href: link("/create/video") }, t("uploadVideo")),
    ),
    h(
      "div.filters",
      { role: "search", hidden: () => Boolean(filters.get().saved) },
      searchField({ label: t("searchVideos"), value: filters.get().query, onsearch: (query) => choose({ query }) }),
      filterField({
        name: "type",
        label: t("workoutType"),
        value: filters.get().type,
        options: types.map(({ value, label }) => ({
          value,
          label: t("counted", { name: label, number: number(known.get(value) ?? 0) }),
        })),
        onchoose: (type) => choose({ type }),
      }),
    ),
    h(
      "div.row.tag-row",
      { role: "group", "aria-label": t("filter") },
      filterButton(
        t("savedVideos"),
        () => Boolean(filters.get().saved),
        (isOn) => choose({ saved: isOn ? "1" : "", tag: "", owner: "" }),
      ),
      person &&
        filterButton(
          t("byPerson", { name: person.displayName }),
          () => Boolean(filters.get().owner),
          (isOn) => choose({ owner: isOn ? person.id : "", saved: "" }),
        ),
      counts.tags.slice(0, 12).map(({ value }) =>
        filterButton(
          `#${value}`,
          () => filters.get().tag === value,
          (isOn) => choose({ tag: isOn ? value : "", saved: "" }),
        )
      ),
    ),
    listView(list, {
      key: (it) => it.id,
      label: t("videos"),
      class: "cards",
      render: (video) => h("div", null, () => videoCard(video.get())),
      empty: {
        icon: "video",
        title: t("noVideos"),
        message: isFiltered() ? t("noVideosHint") : t("noVideosYet"),
        action: isOn("uploads") ? h("a.button", { href: link("/create/video") }, t("uploadVideo")) : undefined,
      },
    }),
  );
}
