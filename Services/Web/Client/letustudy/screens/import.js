// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { parseText } from "../parts/text-file.js";
import { mayEdit, study } from "../study.js";
import { between } from "../sync/position.js";
import { t } from "../more-strings.js";

/** @import { StudyImport } from "../../../Types/api.d.ts" */

/** @typedef {Pick<StudyImport, "set" | "imported" | "duplicates" | "skippedCount" | "skipped">} Outcome */

const TYPES = /** @type {Record<string, string>} */ ({
  csv: "text/csv",
  json: "application/json",
  apkg: "application/octet-stream",
});

/** Cards from files: texts are read on this device, also without a connection; the others by the platform. */
export default function importScreen() {
  const { model, sync } = study();
  const outcome = state(/** @type {Outcome | null} */ (null));
  const sets = model.sets.get().filter((it) => mayEdit(it.id));

  /** @param {any} values */
  async function read({ file, text, set, title }, /** @type {{ key: string }} */ { key }) {
    const name = file?.name.replace(/\.\w+$/, "") ?? t("importedCards");
    const kind = file?.name.split(".").at(-1)?.toLowerCase() ?? "txt";
    if (!file && !text) throw Object.assign(new Error(t("chooseFileOrText")));
    if (!TYPES[kind]) {
      outcome.set(await importText(file ? await file.text() : text, set, title ?? name));
      return;
    }
    const body = new Blob([file], { type: TYPES[kind] });
    outcome.set(
      await call("POST /v1/study-sets/import", {
        set: set || undefined,
        title: set ? undefined : title ?? name,
        schedule: true,
        body,
      }, { key }),
    );
    await sync.run();
  }
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("import")),
    h("p.soft", null, t("importHint")),
    () => outcome.get() && result(/** @type {Outcome} */ (outcome.get())),
    h(
      "section.card",
      null,
      form({
        fields: [
          {
            name: "file",
            label: t("file"),
            kind: "file",
            hint: t("fileHint"),
            props: { accept: ".txt,.csv,.apkg,.json" },
          },
          { name: "text", label: t("orPaste"), kind: "textarea", hint: t("pasteHint") },
          {
            name: "set",
            label: t("into"),
            kind: "select",
            options: [{ value: "", label: t("newSet") }, ...sets.map(({ id, title }) => ({ value: id, label: title }))],
          },
          { name: "title", label: t("titleOfNew"), hint: t("titleOfNewHint"), props: { maxlength: 200 } },
        ],
        submit: t("import"),
        onsubmit: read,
      }),
    ),
  );
}

/** @param {string} text @param {string | undefined} into @param {string} title @returns {Promise<Outcome>} */
async function importText(text, into, title) {
  const { store, model } = study();
  const { cards, skipped } = parseText(text);
  const set = into || crypto.randomUUID();
  if (!into) await store.put("sets", set, { title, description: "", tags: [] });
  const known = new Set(model.cardsOf(set).map((it) => `${it.front}\n${it.back}`));
  let [imported, position] = [0, model.cardsOf(set).at(-1)?.position ?? null];
  for (const { front, back } of cards) {
    if (known.has(`${front}\n${back}`)) continue;
    known.add(`${front}\n${back}`);
    position = between(position, null);
    await store.put("cards", crypto.randomUUID(), { front, back, position }, { set });
    imported++;
  }
  return { set, imported, duplicates: cards.length - imported, skippedCount: skipped.length, skipped };
}

/** @param {Outcome} outcome */
function result({ set, imported, duplicates, skippedCount, skipped }) {
  return h(
    "section.card.stack",
    { role: "status" },
    h("h2.row", null, icon("check"), t("imported", { count: imported })),
    duplicates > 0 && h("p.soft", null, t("duplicates", { count: duplicates })),
    skippedCount > 0 && h(
      "details",
      null,
      h("summary", null, t("skipped", { count: skippedCount })),
      h(
        "ul",
        null,
        skipped.map((it) => h("li", null, it.line ? t("lineReason", { line: it.line, reason: it.reason }) : it.reason)),
      ),
    ),
    set && h("p", null, h("a.button.primary", { href: link(`/sets/${set}`) }, t("showSet"))),
  );
}
