// @ts-check
import { mayEdit, study } from "../study.js";
import { t } from "../screen-strings.js";

/** The fields that say into which set cards come: one of those there are, or a new one. */
export const targetFields = () => [
  {
    name: "set",
    label: t("into"),
    kind: "select",
    options: [
      { value: "", label: t("newSet") },
      ...study().model.sets.get().filter((it) => mayEdit(it.id)).map(({ id, title }) => ({ value: id, label: title })),
    ],
  },
  { name: "title", label: t("titleOfNew"), hint: t("titleOfNewHint"), props: { maxlength: 200 } },
];

/** The chosen set, which is made when it is a new one. @param {string | undefined} chosen @param {string} title */
export async function targetSet(chosen, title) {
  const set = chosen || crypto.randomUUID();
  if (!chosen) await study().store.put("sets", set, { title, description: "", tags: [] });
  return set;
}
