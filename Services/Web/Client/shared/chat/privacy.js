// @ts-check
import { call } from "../api.js";
import { buildField } from "../components/form.js";
import { problemText } from "../components/states.js";
import { toast } from "../components/toast.js";
import { h } from "../view.js";
import { t } from "./strings.js";

/** @import { ConversationSettings } from "../../../Types/api.d.ts" */

const NAMES = /** @type {const} */ (["showPresence", "showTyping", "showRead"]);

/** What others see of the user in conversations. @param {ConversationSettings} given */
export function privacySettings(given) {
  let settings = given;

  /** @param {typeof NAMES[number]} name */
  function toggle(name) {
    const field = buildField({
      name,
      label: t(name),
      hint: t(`${name}Hint`),
      kind: "checkbox",
      value: settings[name],
      props: { onchange: save },
    });
    async function save() {
      const value = field.read();
      try {
        settings = await call("PUT /v1/conversations/settings", { body: { ...settings, [name]: value } });
        field.fail("");
        toast(t("settingsSaved"), { kind: "success" });
      } catch (error) {
        /** @type {HTMLInputElement} */ (field.control).checked = !value;
        field.fail(problemText(error));
      }
    }
    return field.element;
  }
  return h("section.card.stack", null, h("h2", null, t("privacy")), NAMES.map(toggle));
}
