// @ts-check
import { form } from "../../shared/components/form.js";
import { back, go } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { setFields, tagsOf } from "../components/set-fields.js";
import { study } from "../study.js";
import { t } from "../screen-strings.js";

/** A new set; its cards come next. */
export default function newSetScreen() {
  const create = async (/** @type {any} */ { title, description, tags }) => {
    const id = crypto.randomUUID();
    await study().store.put("sets", id, { title, description: description ?? "", tags: tagsOf(tags) });
    await go(`/sets/${id}/edit`, { replace: true });
  };
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("newSet")),
    h(
      "div.card",
      null,
      form({ fields: setFields(), submit: t("createSet"), onsubmit: create, oncancel: () => back("/sets") }),
    ),
  );
}
