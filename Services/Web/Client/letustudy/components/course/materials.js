// @ts-check
import { call, pages } from "../../../shared/api.js";
import { openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { listView, paged } from "../../../shared/components/list.js";
import { menu } from "../../../shared/components/menu.js";
import { problemText } from "../../../shared/components/states.js";
import { announce, toast } from "../../../shared/components/toast.js";
import { uploadField } from "../../../shared/components/uploader.js";
import { content } from "../../../shared/media.js";
import { follow, on } from "../../../shared/realtime.js";
import { link } from "../../../shared/router.js";
import { text } from "../../../shared/text.js";
import { h } from "../../../shared/view.js";
import { isOwner, study } from "../../study.js";
import { t } from "./strings.js";
import { mayTeach } from "./access.js";
import { action, removal } from "./actions.js";
import { outside } from "./files.js";

/** @import { Paged } from "../../../shared/components/list.js" */
/** @import { Course, CourseMaterial } from "../../../../Types/api.d.ts" */

/** Texts, links, files and sets of a course. @param {Course} course */
export function materials(course) {
  const list = paged((signal) => pages("GET /v1/courses/{course}/materials", { course: course.id }, { signal }));
  // one after another, since each says the order of all
  let moves = Promise.resolve();
  follow(`course:${course.id}`);
  on(["materials.changed", "resync"], (data, name) => {
    if (name === "resync" || data.course === course.id) moves = moves.then(list.refresh);
  });
  const add = () =>
    openDialog({
      title: t("newMaterial"),
      build: (close) =>
        form({
          fields: [
            titleField(),
            {
              name: "set",
              label: t("studySet"),
              kind: "select",
              options: [
                { value: "", label: t("none") },
                ...study().model.sets.get().filter((it) => isOwner(it.id)).map((it) => ({
                  value: it.id,
                  label: it.title,
                })),
              ],
            },
            addressField(),
            uploadField({ name: "media", label: t("file") }),
            textField(),
          ],
          submit: text("add"),
          oncancel: () => close(),
          onsubmit: async (body, { key }) => {
            if (study().store.pending.get() > 0) await study().sync.run();
            await call("POST /v1/courses/{course}/materials", { course: course.id, body }, { key });
            close();
            await list.reload();
          },
        }),
    });
  return h(
    "div.stack",
    null,
    mayTeach(course) &&
      h("div.row", null, h("button.button.primary", { type: "button", onclick: add }, icon("add"), t("newMaterial"))),
    listView(list, {
      // another version is another row; an order changes none
      key: (it) => `${it.id} ${it.version}`,
      label: t("materials"),
      empty: { icon: "book", title: t("noMaterials") },
      render: (item) => {
        const material = item.get();
        /** @param {-1 | 1} step @param {HTMLElement} focused */
        const move = (step, focused) => {
          const done = moves.then(() => moveMaterial(course.id, list, material.id, step));
          moves = done.catch((error) => toast(problemText(error), { kind: "error" }));
          moves.then(() => focused.focus());
        };
        return h(
          "div",
          { onkeydown: mayTeach(course) && moveByKeys(move) },
          icon(material.kind === "set" ? "card" : material.kind === "link" ? "link" : "book"),
          h("div.grow", null, h("strong", null, material.title), target(material), note(material)),
          mayTeach(course) && mover(material.title, move),
          mayTeach(course) &&
            menu({
              label: t("actionsFor", { title: material.title }),
              items: () => actions(course, material, list.reload),
            }),
        );
      },
    }),
  );
}

/**
 * Shows the new order at once, and the platform's when that refuses it: others may have changed the materials.
 * @param {string} course
 * @param {Paged<CourseMaterial>} list
 * @param {string} id
 * @param {-1 | 1} step
 */
async function moveMaterial(course, list, id, step) {
  // the platform gets the order of all
  while (list.hasMore.get()) {
    await list.more();
    if (list.phase.get() === "failed") throw list.error.get();
    // the list has ended, or begins again
    if (list.phase.get() !== "ready") return;
  }
  const before = list.items.get();
  const at = before.findIndex((it) => it.id === id);
  const target = at + step;
  if (at < 0 || target < 0 || target >= before.length) return;
  const after = before.toSpliced(at, 1).toSpliced(target, 0, before[at]);
  list.items.set(after);
  try {
    await call("PUT /v1/courses/{course}/materials/order", { course, body: { materials: after.map((it) => it.id) } });
  } catch (error) {
    await list.reload();
    throw error;
  }
  announce(t("movedTo", { number: target + 1 }));
}

/**
 * Two buttons that move a material.
 * @param {string} title
 * @param {(step: -1 | 1, focused: HTMLElement) => void} move
 */
function mover(title, move) {
  const button = (/** @type {-1 | 1} */ step) =>
    h("button.button.quiet.icon-only", {
      type: "button",
      "aria-label": t(step < 0 ? "moveMaterialUp" : "moveMaterialDown", { title }),
      "aria-keyshortcuts": step < 0 ? "Alt+ArrowUp" : "Alt+ArrowDown",
      onclick: (/** @type {any} */ event) => move(step, event.currentTarget),
    }, icon(step < 0 ? "previous" : "next"));
  return h("div.material-mover", null, button(-1), button(1));
}

/** Alt and an arrow move the material in which the focus is. @param {(step: -1 | 1, focused: HTMLElement) => void} move */
const moveByKeys = (move) => (/** @type {any} */ event) => {
  const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
  if (!step || !event.altKey) return;
  event.preventDefault();
  move(step, event.target);
};

/** @param {CourseMaterial} [material] */
const titleField = (material) => ({
  name: "title",
  label: t("title"),
  value: material?.title,
  required: true,
  props: { maxlength: 120 },
});

/** @param {CourseMaterial} [material] */
const addressField = (material) => ({
  name: "url",
  label: t("webAddress"),
  kind: "url",
  value: material?.url,
  required: material !== undefined,
  props: { placeholder: "https://" },
});

/** @param {CourseMaterial} [material] */
const textField = (material) => ({
  name: "text",
  label: t("text"),
  kind: "textarea",
  value: material?.text,
  required: material?.kind === "text",
  props: { maxlength: 10_000 },
});

/** @param {Course} course @param {CourseMaterial} material @param {() => Promise<void>} reload */
function actions({ id: course }, material, reload) {
  const { id, version } = material;
  const edit = () =>
    openDialog({
      title: t("editMaterial"),
      build: (close) =>
        form({
          fields: [
            titleField(material),
            ...(material.kind === "link" ? [addressField(material)] : []),
            textField(material),
          ],
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async (values) => {
            const body = { text: null, ...values };
            await call("PATCH /v1/courses/{course}/materials/{id}", { course, id, body }, { version });
            close();
            await reload();
          },
        }),
    });
  return [
    action(t("edit"), "edit", edit),
    removal({
      title: t("deleteMaterial", { title: material.title }),
      message: material.kind === "set" ? t("deleteMaterialSet") : undefined,
      run: async () => {
        await call("DELETE /v1/courses/{course}/materials/{id}", { course, id });
        await reload();
      },
    }),
  ];
}

/** Where a material leads. @param {CourseMaterial} material */
function target({ kind, url, media, set }) {
  if (kind === "link") return h("p", null, h("a", { href: url, ...outside }, url));
  if (kind === "media" && media) return h("p", null, h("a", { href: content(media), ...outside }, t("openFile")));
  return kind === "set" && h("p", null, h("a", { href: link(`/sets/${set}`) }, t("openSet")));
}

/** @param {CourseMaterial} material */
const note = ({ text: words }) => words && h("p.soft.prewrap", null, words);
