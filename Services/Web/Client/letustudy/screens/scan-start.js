// @ts-check
import { form } from "../../shared/components/form.js";
import { go } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { targetFields, targetSet } from "../components/target-set.js";
import { t } from "../screen-strings.js";

/** Asks for the set into which notes are scanned. */
export default () => {
  const [set, title] = targetFields();
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("scan")),
    h("p.soft", null, t("scanHint")),
    h(
      "section.card",
      null,
      form({
        fields: [set, { ...title, hint: undefined }],
        submit: t("next"),
        onsubmit: async (values) => {
          const chosen = await targetSet(values.set, values.title ?? t("importedCards"));
          await go(`/sets/${chosen}/scan`, { replace: true });
        },
      }),
    ),
  );
};
