// @ts-check
import { appearanceControls } from "../../shared/components/appearance.js";
import { buildField } from "../../shared/components/form.js";
import { problemText } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { bytes, percent } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h, state } from "../../shared/view.js";
import { changePreferences, preferences } from "../preferences.js";
import { play, speak } from "../sounds.js";
import { study } from "../study.js";
import { t } from "../screen-strings.js";

/** Settings, each in effect at once; the same on every device. */
export default function settingsScreen() {
  const change = async (/** @type {any} */ values) => {
    try {
      await changePreferences(values);
    } catch (error) {
      toast(problemText(error), { kind: "error" });
    }
  };
  /** @param {"darkMode" | "reverseColor" | "accessibility" | "sound" | "voiceOver" | "notifications"} name @param {(isOn: boolean) => void} [then] */
  const toggle = (name, then) =>
    buildField({
      name,
      label: t(`set-${name}`),
      hint: t(`hint-${name}`),
      kind: "checkbox",
      value: preferences.get()[name],
      props: {
        role: "switch",
        onchange: (/** @type {any} */ event) => {
          change({ [name]: event.target.checked });
          then?.(event.target.checked);
        },
      },
    }).element;
  const brightness = state(preferences.get().brightness);
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("settings")),
    h(
      "section.card.stack",
      null,
      h("h2", null, t("display")),
      toggle("darkMode"),
      toggle("reverseColor"),
      toggle("accessibility"),
      h(
        "div.field",
        null,
        h(
          "label.label.spread",
          { for: "brightness" },
          t("brightness"),
          h("output.number", null, () => percent(brightness.get() / 100)),
        ),
        h("input", {
          id: "brightness",
          type: "range",
          min: 0,
          max: 100,
          step: 5,
          value: brightness.get(),
          oninput: (/** @type {any} */ event) => {
            brightness.set(Number(event.target.value));
            preferences.update((it) => ({ ...it, brightness: brightness.get() }));
          },
          onchange: () => change({ brightness: brightness.get() }),
        }),
      ),
      appearanceControls(),
    ),
    h(
      "section.card.stack",
      null,
      h("h2", null, t("soundAndVoice")),
      toggle("sound", (isOn) => isOn && play("right")),
      toggle("voiceOver", (isOn) => isOn && speak(t("set-voiceOver"))),
      toggle("notifications"),
    ),
    studySettings(),
    h(
      "section.card.stack",
      null,
      h("h2", null, t("account")),
      buildField({
        name: "role",
        label: t("yourRole"),
        kind: "select",
        value: preferences.get().role,
        options: /** @type {const} */ (["student", "instructor", "guest", "support", "administrator"]).map((value) => ({
          value,
          label: t(`role-${value}`),
        })),
        props: { onchange: (/** @type {any} */ event) => change({ role: event.target.value }) },
      }).element,
      buildField({
        name: "logOut",
        label: t("logOutAfter"),
        kind: "select",
        value: String(preferences.get().logOutAfterMinutes ?? ""),
        options: ["", "5", "15", "60", "480"].map((value) => ({
          value,
          label: value ? t("minutes", { count: Number(value) }) : t("never"),
        })),
        props: {
          onchange: (/** @type {any} */ event) =>
            change({ logOutAfterMinutes: Number(event.target.value) || undefined }),
        },
      }).element,
    ),
    storage(),
  );
}

/** How cards are scheduled; synchronized with the study data. */
function studySettings() {
  const { model, store } = study();
  /** @param {"desiredRetention" | "newCardsPerDay" | "rolloverHour"} name @param {number} min @param {number} max @param {number} [factor] */
  const field = (name, min, max, factor = 1) => {
    const built = buildField({
      name,
      label: t(`set-${name}`),
      hint: t(`hint-${name}`),
      kind: "number",
      value: Math.round(Number(model.settings.get()[name]) * factor),
      props: {
        min,
        max,
        onchange: (/** @type {any} */ event) => {
          const value = Math.round(Number(event.target.value));
          built.fail(value >= min && value <= max ? "" : t("between", { min, max }));
          if (value >= min && value <= max) store.put("studySettings", store.user, { [name]: value / factor });
        },
      },
    });
    return built.element;
  };
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("study")),
    field("newCardsPerDay", 0, 999),
    field("desiredRetention", 70, 97, 100),
    field("rolloverHour", 0, 23),
  );
}

/** What is kept on this device. */
function storage() {
  const facts = state("");
  navigator.storage?.estimate?.().then(async ({ usage = 0 }) => {
    const isKept = await navigator.storage.persisted?.();
    facts.set(t(isKept ? "storedKept" : "stored", { size: bytes(usage) }));
  });
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("thisDevice")),
    h("p.soft", null, facts),
    h("p", null, h("a.button", { href: link("/sync") }, t("syncPage"))),
  );
}
