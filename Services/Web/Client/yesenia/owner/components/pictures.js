// @ts-check
/** A field for several pictures: they are uploaded as they are chosen, and can be taken out again. */
import { picture } from "../../../shared/components/picture.js";
import { uploadField } from "../../../shared/components/uploader.js";
import { icon } from "../../../shared/components/icon.js";
import { text } from "../../../shared/text.js";
import { each, h, state } from "../../../shared/view.js";
import { t } from "../strings.js";

/**
 * @param {string} name
 * @param {string[]} known
 */
export function picturesField(name, known) {
  const media = state(known);
  const { element: uploader, check } = uploadField({
    name,
    label: t("pictures"),
    accept: "image/*",
    kind: "image",
    visibility: "everyone",
    onready: (id) => media.update((all) => [...all, id]),
  });
  const shown = (/** @type {import("../../../shared/signals.js").State<string>} */ item) =>
    h(
      "li.upload",
      null,
      picture(item.get(), { alt: t("picture"), sizes: "6rem" }),
      h("button.button.icon-only.upload-remove", {
        type: "button",
        "aria-label": `${text("delete")}: ${t("picture")}`,
        onclick: () => media.update((all) => all.filter((it) => it !== item.get())),
      }, icon("close")),
    );
  const element = h(
    "div.stack",
    null,
    h("ul.row", { role: "list", hidden: () => media.get().length === 0 }, each(media, (it) => it, shown)),
    uploader,
  );
  return { name, label: t("pictures"), kind: "custom", element, check, read: () => media.get() };
}
