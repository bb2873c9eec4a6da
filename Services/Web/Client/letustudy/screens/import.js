// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { addCards } from "../components/add-cards.js";
import { parseText } from "../components/text-file.js";
import { targetFields, targetSet } from "../components/target-set.js";
import { study } from "../study.js";
import { t } from "../screen-strings.js";

/** @import { StudyImport } from "../../../Types/api.d.ts" */

/** @typedef {Pick<StudyImport, "set" | "imported" | "duplicates" | "skippedCount" | "skipped">} Outcome */

const TYPES = /** @type {Record<string, string>} */ ({
  csv: "text/csv",
  json: "application/json",
  apkg: "application/octet-stream",
});

/** Cards from files: texts are read on this device, also without a connection; the others by the platform. */
export default function importScreen() {
  const { sync } = study();
  const outcome = state(/** @type {Outcome | null} */ (null));

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
          ...targetFields(),
        ],
        submit: t("import"),
        onsubmit: read,
      }),
    ),
    h(
      "p",
      null,
      h("span.soft", null, t("scanFromPictures")),
      " ",
      h("a", { href: link("/scan") }, t("scan")),
    ),
  );
}

/** @param {string} text @param {string | undefined} into @param {string} title @returns {Promise<Outcome>} */
async function importText(text, into, title) {
  const { cards, skipped } = parseText(text);
  const set = await targetSet(into, title);
  const imported = await addCards(set, cards);
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
