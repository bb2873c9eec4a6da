// @ts-check
/** Forms: labels, hints, errors at the fields that a problem names, and a button that shows what happens. */
import { Problem, SESSION_ENDED } from "../api.js";
import { moneyText, parseMoney } from "../language.js";
import { toSignIn } from "../router.js";
import { text } from "../text.js";
import { h, state } from "../view.js";
import { uniqueID } from "./dom.js";
import { icon } from "./icon.js";
import { problemText, spinner } from "./states.js";

/** @import { IconName } from "./icon.js" */

/**
 * A field. `name` is where its value belongs in the body, such as `details.bio`; problems name it the same way.
 * - `kind`: an `<input>`'s type, or `textarea`, `select` (with `options`), `checkbox`, `money` (with `currency`: the value
 *   is `{amount, currency}`), `file`, or `custom` with an `element` and `read`
 * - `check`: says what is wrong with the value, before it is sent
 * - `heading`: stands above the field, where a part of a long form begins
 * - `props`: attributes of the control, such as `autocomplete`, `min`, `accept`
 * @typedef {{ name: string, label: string, kind?: string, value?: any, hint?: string, required?: boolean, currency?: string,
 *   options?: { value: string, label: string }[], props?: Record<string, any>, element?: HTMLElement, read?: () => any,
 *   check?: () => string, heading?: string }} Field
 */
/** @typedef {{ element: HTMLElement, control: HTMLElement, read: () => any,
 *   check: () => string, fail: (message: string) => void }} BuiltField */

/**
 * @param {{ fields: Field[], submit: string, onsubmit: (values: any, attempt: { key: string }) => unknown | Promise<unknown>,
 *   oncancel?: () => void, footer?: Node, isDangerous?: boolean, compact?: boolean, onchange?: (values: any) => void }} options
 *   - `onsubmit`: gets the values, nested as their names say; empty ones are absent. What it throws is shown at the fields or
 *     above them. `key` stays the same while the same values are tried again: pass it to `call`
 * @returns {HTMLFormElement}
 */
export function form({ fields, submit, onsubmit, oncancel, footer, isDangerous, compact, onchange }) {
  const built = fields.map((field) => ({ field, ...buildField(field) }));
  const failure = state("");
  const isBusy = state(false);
  let attempt = { key: "", values: "" };

  const read = () => nest(built.map(({ field, read }) => [field.name, read()]));

  /** @param {Event} event */
  async function send(event) {
    event.preventDefault();
    if (isBusy.get()) return;
    failure.set("");
    const wrong = built.filter((it) => {
      const message = it.check();
      it.fail(message);
      return message;
    });
    if (wrong.length > 0) return wrong[0].control.focus();
    const values = read();
    const json = JSON.stringify(values);
    if (json !== attempt.values) attempt = { key: crypto.randomUUID(), values: json };
    isBusy.set(true);
    try {
      await onsubmit(values, { key: attempt.key });
      attempt = { key: "", values: "" };
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      if (Problem.is(error, ...SESSION_ENDED)) return toSignIn();
      if (!Problem.is(error)) reportError(error);
      show(error);
    } finally {
      isBusy.set(false);
    }
  }

  /** @param {unknown} error */
  function show(error) {
    const messages = Object.entries(error instanceof Problem ? error.fields : {});
    const shown = built.filter((it) => {
      const message = messages.find(([name]) => name === it.field.name || name.startsWith(`${it.field.name}.`));
      if (message) it.fail(message[1]);
      return message;
    });
    const others = messages.filter(([name]) =>
      !shown.some(({ field }) => name === field.name || name.startsWith(`${field.name}.`))
    );
    failure.set([problemText(error), ...others.map(([name, message]) => `${name}: ${message}`)].join(" "));
    shown[0]?.control.focus();
  }

  return h(
    "form.form",
    {
      novalidate: true,
      onsubmit: send,
      class: compact && "is-compact",
      onchange: onchange && (() => onchange(read())),
    },
    h("div", { role: "alert" }, () => failure.get() && h("p.form-failure", null, icon("error"), failure.get())),
    built.map(({ field, element }) => [field.heading && h("h2.form-heading", null, field.heading), element]),
    h(
      "div.form-actions",
      null,
      oncancel && h("button.button.quiet", { type: "button", onclick: oncancel }, text("cancel")),
      h(
        "button.button.primary",
        {
          type: "submit",
          class: isDangerous && "dangerous",
          "aria-busy": () => String(isBusy.get()),
          "aria-disabled": () => String(isBusy.get()),
        },
        () => isBusy.get() && spinner(),
        submit,
      ),
    ),
    footer,
  );
}

/** @param {unknown} value */
const isEmpty = (value) => value === undefined || value === null || value === "" || value === false;

/**
 * `details.bio` becomes `{details: {bio}}`; values that are absent stay so.
 * @param {[string, any][]} entries
 */
export function nest(entries) {
  /** @type {Record<string, any>} */
  const result = {};
  for (const [name, value] of entries) {
    if (value === undefined) continue;
    const path = name.split(".");
    const last = /** @type {string} */ (path.pop());
    path.reduce((at, key) => at[key] ??= {}, result)[last] = value;
  }
  return result;
}

/**
 * A labelled control of its own, for what is no form.
 * @param {Field} field
 * @returns {BuiltField}
 */
export function buildField(field) {
  const [id, hintID, errorID] = ["field", "hint", "error"].map(uniqueID);
  const failure = state("");
  const props = {
    id,
    name: field.name,
    "aria-describedby": () => [field.hint && hintID, failure.get() && errorID].filter(Boolean).join(" ") || null,
    "aria-invalid": () => failure.get() ? "true" : null,
    "aria-required": field.required ? "true" : null,
    ...field.props,
  };
  const control = buildControl(field, props);
  const labelID = uniqueID("label");
  const label = field.element
    ? h("span.label", { id: labelID }, field.label)
    : h("label.label", { for: id }, field.label);
  const hint = field.hint && h("p.hint", { id: hintID }, field.hint);
  const error = h("p.field-error", { id: errorID, hidden: () => !failure.get() }, failure);
  const isCheck = field.kind === "checkbox";
  const read = field.read ?? (() => readControl(field, /** @type {any} */ (control)));
  // one control has its label itself
  const isGroup = (field.element?.querySelectorAll("input, select, textarea, button").length ?? 0) > 1;
  const group = isGroup && { role: "group", "aria-labelledby": labelID };
  return {
    element: h(
      "div.field",
      { class: isCheck && "is-check", ...group },
      isCheck ? [control, label, hint, error] : [label, hint, withAffix(field, control), error],
    ),
    control,
    read,
    check: () => field.check?.() || (field.required && isEmpty(read()) ? text("required") : ""),
    fail: (message) => failure.set(message),
  };
}

/**
 * @param {Field} field
 * @param {Record<string, any>} props
 * @returns {HTMLElement}
 */
function buildControl(field, props) {
  const { kind = "text", value } = field;
  if (field.element) return field.element;
  if (kind === "textarea") return h("textarea.input", { rows: 4, ...props, value: value ?? "" });
  if (kind === "checkbox") return h("input.check", { type: "checkbox", ...props, checked: Boolean(value) });
  if (kind === "file") return h("input.input", { type: kind, ...props });
  if (kind === "money") return buildAmount(field, props);
  if (kind === "select") {
    const options = (field.options ?? []).map((it) => h("option", { value: it.value }, it.label));
    return h("select.input", { ...props, value: value ?? field.options?.[0]?.value }, options);
  }
  return h("input.input", { type: kind, ...props, value: value ?? "" });
}

/**
 * @param {Field} field
 * @param {Record<string, any>} props
 */
function buildAmount(field, props) {
  const currency = field.currency ??= "USD";
  const input = h("input.input", { inputmode: "decimal", ...props, value: field.value ? moneyText(field.value) : "" });
  const example = moneyText({ amount: 1250, currency });
  field.check ??= () => {
    const typed = input.value.trim();
    return typed && !parseMoney(typed, currency) ? text("invalidAmount", { example }) : "";
  };
  return input;
}

/**
 * The control with what stands beside it.
 * @param {Field} field
 * @param {HTMLElement} control
 */
function withAffix({ kind, label, currency = "" }, control) {
  if (kind === "password") return withReveal(/** @type {HTMLInputElement} */ (control), label);
  if (kind !== "money") return control;
  return h("div.affixed", null, control, h("span", { "aria-hidden": "true" }, currency));
}

/**
 * @param {Field} field
 * @param {any} control
 */
function readControl({ kind, currency }, control) {
  switch (kind) {
    case "checkbox":
      return control.checked;
    case "file":
      return control.files[0];
    case "number":
    case "range":
      return control.value === "" ? undefined : Number(control.value);
    case "money":
      return parseMoney(control.value.trim(), currency ?? "USD") ?? undefined;
    case "password":
      return control.value || undefined;
    default:
      return control.value.trim() || undefined;
  }
}

/**
 * @param {HTMLInputElement} control
 * @param {string} label
 */
function withReveal(control, label) {
  const isShown = state(false);
  const toggle = () => {
    isShown.set(!isShown.get());
    control.type = isShown.get() ? "text" : "password";
  };
  const name = () => `${isShown.get() ? text("hide") : text("show")}: ${label}`;
  const button = h("button.button.quiet.icon-only", {
    type: "button",
    onclick: toggle,
    "aria-label": name,
    "aria-pressed": () => String(isShown.get()),
  }, icon("eye"));
  return h("div.affixed", null, control, button);
}

/**
 * A button that shows that its action takes time, and a notice when it fails. One that switches something on and off has
 * functions that say how it is, and stays the same button, so that it keeps the focus.
 * @param {{ label: string | (() => string), run: () => unknown | Promise<unknown>, icon?: IconName | (() => IconName),
 *   class?: string | (() => string), onerror?: (error: unknown) => void, props?: Record<string, any> }} options
 */
export function actionButton({ label, run, icon: name, class: kind = "", onerror, props }) {
  const isBusy = state(false);
  const act = async () => {
    if (isBusy.get()) return;
    isBusy.set(true);
    try {
      await run();
    } catch (error) {
      if (onerror) onerror(error);
      else if (Problem.is(error, ...SESSION_ENDED)) toSignIn();
      else (await import("./toast.js")).toast(problemText(error), { kind: "error" });
    } finally {
      isBusy.set(false);
    }
  };
  return h(
    "button.button",
    {
      type: "button",
      class: kind,
      onclick: act,
      "aria-busy": () => String(isBusy.get()),
      ...props,
    },
    () => isBusy.get() ? spinner() : name && icon(typeof name === "function" ? name() : name),
    label,
  );
}
