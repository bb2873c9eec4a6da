// @ts-check
import { Problem } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { failure } from "../../shared/components/states.js";
import { announce, toast } from "../../shared/components/toast.js";
import { offered } from "../../shared/features.js";
import { askBeforeLeaving, link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { each, h, onCleanUp, state } from "../../shared/view.js";
import { addCards } from "../components/add-cards.js";
import { cleanText } from "../components/card-text.js";
import { scannedFile } from "../components/scan/file.js";
import { scannedMedia } from "../components/scan/media.js";
import { fileQueue } from "../components/scan/queue.js";
import { recognition } from "../components/scan/recognize.js";
import { loadSet, mayEdit, study } from "../study.js";
import { t } from "../screen-strings.js";

/** @import { State } from "../../shared/signals.js" */
/** @import { Draft, Recognized } from "../components/scan/recognize.js" */

export const load = loadSet;

/** Photographed notes, pictures and PDF files become cards of a set. @param {unknown} _data @param {import("../../shared/router.js").Visit} visit */
export default function scanScreen(_data, { params: { id: set } }) {
  const { model } = study();
  const known = model.setOf(set);
  if (!known || !mayEdit(set)) return failure(new Problem({ status: 404, code: "not-found", title: "" }));
  const media = scannedMedia((id) => queue.files.get().some((it) => it.id === id));
  /** @type {Map<string, State<Draft[]>>} */
  const drafts = new Map();
  const draftsOf = (/** @type {string} */ id) => {
    let signal = drafts.get(id);
    if (!signal) drafts.set(id, signal = state(/** @type {Draft[]} */ ([])));
    return signal;
  };
  /** @type {ReturnType<typeof fileQueue<Recognized>>} */
  const queue = fileQueue(recognition(set, media.add), {
    onend: ({ id, file, progress }) => {
      const it = progress.get();
      if (it.phase === "ready") draftsOf(id).set(it.result.drafts);
      announce(t(it.phase === "ready" ? "scanReadyNamed" : "scanFailedNamed", { name: file.name }));
    },
  });
  onCleanUp(askBeforeLeaving(() => queue.files.get().length > 0 && text("leavePage")));
  onCleanUp(() => {
    media.clear();
    queue.stop();
  });

  /** @param {string} id */
  function remove(id) {
    queue.remove(id);
    drafts.delete(id);
    media.remove(id);
  }

  /** Takes the drafts of a file into the set; those without a question or an answer stay. @param {string} id */
  async function take(id) {
    const all = draftsOf(id).get().map((it) => ({ ...it, front: cleanText(it.front), back: cleanText(it.back) }));
    const whole = all.filter((it) => it.front && it.back);
    const added = await addCards(set, whole);
    if (whole.length === all.length) remove(id);
    else draftsOf(id).set(all.filter((it) => !it.front || !it.back));
    return { added, left: all.length - whole.length };
  }

  // one after another, so that no draft is taken twice
  let takes = Promise.resolve();
  /** @param {string[]} ids */
  function takeAll(ids) {
    const done = takes.then(() => takeEach(ids));
    takes = done.catch(() => {});
    return done;
  }

  /** @param {string[]} ids */
  async function takeEach(ids) {
    let [added, left] = [0, 0];
    for (const id of ids) {
      const outcome = await take(id);
      added += outcome.added;
      left += outcome.left;
    }
    toast(t("imported", { count: added }), { kind: "success" });
    if (left > 0) toast(t("draftsLeft", { count: left }));
  }
  const ready = () => queue.files.get().filter((it) => it.progress.get().phase === "ready");
  const readyDrafts = () => ready().reduce((sum, it) => sum + draftsOf(it.id).get().length, 0);

  return h(
    "div.stack",
    null,
    h(
      "header.set-head",
      null,
      h("a.button.quiet.small.back-link", { href: link(`/sets/${set}`) }, icon("back"), t("backToSet")),
      h("h1", null, t("scanInto", { title: known.title })),
      h("p.soft", null, t("scanHint")),
    ),
    offered("uploads", () => chooser(queue.add)),
    () =>
      ready().length > 1 && readyDrafts() > 0 && h(
        "p",
        null,
        actionButton({
          label: t("takeAllDrafts", { count: readyDrafts() }),
          icon: "add",
          class: "primary",
          run: () => takeAll(ready().map((it) => it.id)),
        }),
      ),
    h(
      "ul.stack",
      { role: "list", "aria-label": t("scanFiles"), hidden: () => queue.files.get().length === 0 },
      each(queue.files, (it) => it.id, (item) => {
        const file = item.get();
        return h(
          "li",
          null,
          scannedFile(file, {
            set,
            drafts: draftsOf(file.id),
            again: () => queue.again(file),
            remove: () => remove(file.id),
            take: () => takeAll([file.id]),
          }),
        );
      }),
    ),
  );
}

/** Files are chosen, dropped or photographed. @param {(files: Iterable<File>) => void} add */
function chooser(add) {
  /** @param {Record<string, any>} props */
  const input = (props) => {
    const element = h("input.visually-hidden", {
      type: "file",
      ...props,
      onchange: () => {
        add(element.files ?? []);
        element.value = "";
      },
    });
    return element;
  };
  return h(
    "div.stack",
    null,
    h(
      "label.uploader",
      {
        ondragover: (/** @type {Event} */ event) => event.preventDefault(),
        ondrop: (/** @type {DragEvent} */ event) => {
          event.preventDefault();
          add(event.dataTransfer?.files ?? []);
        },
      },
      input({ multiple: true, accept: "image/*,application/pdf" }),
      h("span.uploader-face", null, icon("upload"), t("chooseScans")),
      h("span.hint", null, t("chooseScansHint")),
    ),
    h(
      "p",
      null,
      h(
        "label.button.scan-camera",
        null,
        input({ accept: "image/*", capture: "environment" }),
        icon("image"),
        t("takePhoto"),
      ),
    ),
  );
}
