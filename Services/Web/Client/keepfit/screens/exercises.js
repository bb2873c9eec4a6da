// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { h, state } from "../../shared/view.js";
import { exerciseCard } from "../components/exercises.js";
import { exploreHeader, filterButton, filterField, keepInAddress, searchField } from "../components/explore.js";
import { t } from "../screen-strings.js";
import { choices, loadWords } from "../words.js";

export const load = loadWords;

/**
 * The library of exercises, by words, muscle and equipment; or those that the user has saved.
 * @param {void} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function exercisesScreen(_, { query }) {
  const filters = state({
    query: query.get("query") ?? "",
    muscle: query.get("muscle") ?? "",
    equipment: query.get("equipment") ?? "",
    saved: query.get("saved") ?? "",
  });
  const list = paged((signal) => {
    const { saved, query, ...others } = filters.get();
    if (saved) return pages("GET /v1/exercises/saved", { limit: 50 }, { signal });
    return pages("GET /v1/exercises", /** @type {any} */ ({ query, ...others, limit: 24 }), { signal });
  });
  /** @param {Partial<ReturnType<typeof filters.get>>} change */
  const choose = (change) => {
    filters.update((it) => ({ ...it, ...change }));
    keepInAddress("/explore/exercises", filters.get());
    list.reload();
  };
  const isSaved = () => Boolean(filters.get().saved);
  return h(
    "div.stack",
    null,
    exploreHeader(
      "exercises",
      filterButton(t("savedExercises"), isSaved, (isOn) => choose({ saved: isOn ? "1" : "" })),
    ),
    h(
      "div.filters",
      { role: "search", hidden: isSaved },
      searchField({ label: t("searchExercises"), value: filters.get().query, onsearch: (query) => choose({ query }) }),
      filterField({
        name: "muscle",
        label: t("muscle"),
        value: filters.get().muscle,
        options: choices("muscle"),
        onchoose: (muscle) => choose({ muscle }),
      }),
      filterField({
        name: "equipment",
        label: t("equipment"),
        value: filters.get().equipment,
        options: choices("equipment"),
        onchoose: (equipment) => choose({ equipment }),
      }),
    ),
    listView(list, {
      key: (it) => it.id,
      label: t("exercises"),
      class: "cards",
      render: (exercise) => h("div", null, () => exerciseCard(exercise.get())),
      empty: { icon: "dumbbell", title: t("noExercises"), message: t("noExercisesHint") },
    }),
  );
}
