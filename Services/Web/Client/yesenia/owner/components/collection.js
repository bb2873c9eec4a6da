// @ts-check
/** A list that the owner adds to, changes and deletes from, by forms in dialogs. */
import { confirmDialog, openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { listView, paged } from "../../../shared/components/list.js";
import { menu } from "../../../shared/components/menu.js";
import { problemText } from "../../../shared/components/states.js";
import { toast } from "../../../shared/components/toast.js";
import { text } from "../../../shared/text.js";
import { h } from "../../../shared/view.js";
import { t } from "../strings.js";

/** @import { Field } from "../../../shared/components/form.js" */
/** @import { IconName } from "../../../shared/components/icon.js" */

/**
 * @template {{ id: string }} T
 * @param {{ label: string, add: string, sign: IconName, nothing: string, list: (signal: AbortSignal) => AsyncIterableIterator<T[]>,
 *   row: (item: T) => Node[], fields: (item?: T) => Field[], create: (values: any, key: string) => Promise<T>,
 *   update: (item: T, values: any) => Promise<T>, remove: (item: T) => Promise<unknown> }} options
 */
export function collection({ label, add, sign, nothing, list, row, fields, create, update, remove }) {
  const items = paged(list);

  /** @param {T} [item] */
  const edit = (item) =>
    openDialog({
      title: item ? t("change") : add,
      build: (close) =>
        form({
          fields: fields(item),
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async (values, { key }) => {
            const saved = item ? await update(item, values) : await create(values, key);
            items.items.update((all) => item ? all.map((it) => it.id === saved.id ? saved : it) : [saved, ...all]);
            close();
            toast(t("saved"), { kind: "success" });
          },
        }),
    });

  /** @param {T} item */
  async function discard(item) {
    if (!await confirmDialog({ title: t("deleteQuestion"), confirm: text("delete"), isDangerous: true })) return;
    try {
      await remove(item);
      items.items.update((all) => all.filter((it) => it.id !== item.id));
    } catch (error) {
      toast(problemText(error), { kind: "error" });
    }
  }

  return h(
    "section.stack",
    { "aria-label": label },
    h("p", null, h("button.button.primary", { type: "button", onclick: () => edit() }, icon("add"), add)),
    listView(items, {
      key: (it) => it.id,
      render: (item) =>
        h(
          "div",
          null,
          () => row(item.get()),
          menu({
            label: t("changeOrDelete"),
            items: () => [
              { label: t("change"), icon: "edit", run: () => edit(item.get()) },
              { label: text("delete"), icon: "trash", isDangerous: true, run: () => discard(item.get()) },
            ],
          }),
        ),
      label,
      empty: { icon: sign, title: nothing },
    }),
  );
}
