// @ts-check
/** A file that is scanned: how far it is, and what came of it to be checked and taken into the set. */
import { Problem } from "../../../shared/api.js";
import { actionButton, buildField } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { problemText, spinner } from "../../../shared/components/states.js";
import { bytes, percent } from "../../../shared/language.js";
import { each, h, untracked } from "../../../shared/view.js";
import { t } from "../../screen-strings.js";
import { draftCards } from "./recognize.js";

/** @import { State } from "../../../shared/signals.js" */
/** @import { QueuedFile } from "./queue.js" */
/** @import { Draft, Recognized, Rule } from "./recognize.js" */

/** Recognized pages below this confidence deserve a look. */
const CONFIDENT = 70;

/**
 * @param {QueuedFile<Recognized>} queued
 * @param {{ set: string, again: () => void, remove: () => void, take: () => Promise<void>,
 *   drafts: State<Draft[]> }} options
 */
export function scannedFile({ file, progress }, { set, again, remove, take, drafts }) {
  const isReady = () => progress.get().phase === "ready";
  const isUnderWay = () => !["ready", "failed"].includes(progress.get().phase);
  return h(
    "div.card.stack.scan-file",
    null,
    h(
      "header.row",
      null,
      icon(file.type.startsWith("image/") ? "image" : "book"),
      h(
        "div.grow",
        null,
        h("h2.truncate.scan-name", null, file.name),
        h("p.soft.small-text", null, () => [
          isUnderWay() && spinner(),
          bytes(file.size),
          " · ",
          h(
            "span",
            { class: () => progress.get().phase === "failed" ? "scan-failed" : "" },
            () => words(progress.get()),
          ),
        ]),
      ),
      () => progress.get().phase === "failed" && actionButton({ label: t("scanAgain"), icon: "refresh", run: again }),
      h("button.button.quiet.icon-only", {
        type: "button",
        "aria-label": t("removeFile", { name: file.name }),
        onclick: remove,
      }, icon("trash")),
    ),
    () => {
      const it = progress.get();
      if (it.phase === "waiting" || !isUnderWay()) return null;
      return h("progress.scan-progress", {
        max: 1,
        value: "part" in it ? it.part : undefined,
        "aria-label": file.name,
      });
    },
    () => {
      const it = progress.get();
      return it.phase === "ready" && outcome(it.result, drafts, set, file.name);
    },
    () =>
      isReady() && drafts.get().length > 0 && h(
        "p",
        null,
        actionButton({
          label: t("takeDrafts", { count: drafts.get().length }),
          icon: "add",
          class: "primary",
          run: take,
        }),
      ),
  );
}

/** @param {import("./queue.js").Progress<Recognized>} progress */
function words(progress) {
  switch (progress.phase) {
    case "waiting":
      return t("scanWaiting");
    case "uploading":
      return t("scanUploading", { percent: percent(progress.part ?? 0) });
    case "preparing":
      return t("scanPreparing");
    case "reading":
      return progress.part ? t("scanReadingPart", { percent: percent(progress.part) }) : t("scanReading");
    case "ready":
      return t("scanReady", { count: progress.result.pages.length });
    case "failed":
      return failureText(progress.error);
  }
}

/** @param {unknown} error */
function failureText(error) {
  if (Problem.is(error, "media-type-unsupported", "media-not-scannable")) return t("scanWrongType");
  if (!(error instanceof Problem) || error.code !== "media-failed") return problemText(error);
  return t(
    error.detail === "tooLarge" ? "scanTooLarge" : error.detail === "invalidContent" ? "scanDamaged" : "scanFailed",
  );
}

/**
 * The text and the drafts of cards, which are made again of a text that was put right.
 * @param {Recognized} recognized
 * @param {State<Draft[]>} drafts
 * @param {string} set
 * @param {string} name of the file
 */
function outcome({ pages }, drafts, set, name) {
  const isUnsure = pages.some((it) => it.confidence !== undefined && it.confidence < CONFIDENT);
  const unread = pages.filter((it) => it.failure).map((it) => it.page);
  const text = buildField({
    name: "text",
    label: t("scannedText"),
    kind: "textarea",
    value: pages.map((it) => it.text.trim()).filter(Boolean).join("\n\n"),
    props: { rows: 8, maxlength: 100_000, dir: "auto" },
  });
  const rule = buildField({
    name: "rule",
    label: t("draftRule"),
    kind: "select",
    options: ["", "terms", "parity", "headings"].map((value) => ({
      value,
      label: t(/** @type {"rule-terms"} */ (`rule-${value || "best"}`)),
    })),
  });
  const again = async () => {
    const words = text.read();
    text.fail(words ? "" : t("scanNoText"));
    if (words) drafts.set(await draftCards(set, { text: words, rule: /** @type {Rule} */ (rule.read() || undefined) }));
  };
  return h(
    "div.stack",
    null,
    isUnsure && h("p.notice", null, t("scanUnsure")),
    unread.length > 0 && h("p.notice", null, t("scanUnread", { pages: unread.join(", ") })),
    h(
      "details",
      { open: untracked(() => drafts.get().length === 0) },
      h("summary", null, t("scannedText")),
      h(
        "div.stack",
        null,
        text.element,
        rule.element,
        h("p", null, actionButton({ label: t("draftAgain"), icon: "refresh", run: again })),
      ),
    ),
    () => drafts.get().length === 0 && h("p.soft", { role: "status" }, t("noDrafts")),
    h(
      "ol.editor-cards",
      { role: "list", "aria-label": t("draftsOf", { name }) },
      each(drafts, (it) => it.id, (draft) => draftEditor(draft, drafts)),
    ),
  );
}

/** @param {State<Draft>} item @param {State<Draft[]>} drafts */
function draftEditor(item, drafts) {
  const draft = item.get();
  const number = () => drafts.get().findIndex((it) => it.id === draft.id) + 1;
  /** What is written here is not followed, so it can change in place. @param {"front" | "back"} side */
  const field = (side) =>
    h("textarea.input", {
      rows: 2,
      maxlength: 20_000,
      dir: "auto",
      value: draft[side],
      "aria-label": () => t(side === "front" ? "frontOf" : "backOf", { number: number() }),
      placeholder: t(side === "front" ? "question" : "answer"),
      oninput: (/** @type {any} */ event) => item.get()[side] = event.target.value,
    });
  return h(
    "li.scan-draft",
    null,
    h("div.editor-sides.grow", null, field("front"), field("back")),
    h("button.button.quiet.icon-only", {
      type: "button",
      "aria-label": () => t("deleteCard", { number: number() }),
      onclick: () => drafts.update((all) => all.filter((it) => it.id !== draft.id)),
    }, icon("trash")),
  );
}
