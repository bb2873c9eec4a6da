// @ts-check
/** What the screens of "Explore" share: the links between them, and search fields that wait until someone has typed. */
import { buildField } from "../../shared/components/form.js";
import { link } from "../../shared/router.js";
import { h, onCleanUp } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @typedef {"videos" | "live" | "exercises" | "people"} Section */

/** @type {readonly Section[]} */
const SECTIONS = ["videos", "live", "exercises", "people"];

/**
 * @param {Section} current
 * @param {...import("../../shared/view.js").Child} actions beside the title
 */
export const exploreHeader = (current, ...actions) =>
  h(
    "header.explore-header",
    null,
    h("div.page-header", null, h("h1", null, t(current)), ...actions),
    h(
      "nav.tabs",
      { "aria-label": t("explore") },
      SECTIONS.map((it) =>
        h("a.tab", { href: link(`/explore/${it}`), "aria-current": it === current ? "page" : null }, t(it))
      ),
    ),
  );

/**
 * @param {{ label: string, value?: string, onsearch: (text: string) => void }} options
 */
export function searchField({ label, value, onsearch }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  onCleanUp(() => clearTimeout(timer));
  const oninput = (/** @type {any} */ event) => {
    clearTimeout(timer);
    timer = setTimeout(() => onsearch(event.target.value.trim()), 250);
  };
  const { element } = buildField({ name: "query", label, kind: "search", value, props: { oninput, maxlength: 100 } });
  element.classList.add("grow");
  return element;
}

/**
 * A choice that filters; its first option is "all".
 * @param {{ name: string, label: string, value: string, options: { value: string, label: string }[],
 *   onchoose: (value: string) => void }} options
 */
export const filterField = ({ name, label, value, options, onchoose }) =>
  buildField({
    name,
    label,
    kind: "select",
    value,
    options: [{ value: "", label: t("all") }, ...options],
    props: { onchange: (/** @type {any} */ event) => onchoose(event.target.value) },
  }).element;

/**
 * A filter that is on or off.
 * @param {string} label
 * @param {() => boolean} isOn
 * @param {(isOn: boolean) => void} onchange
 */
export const filterButton = (label, isOn, onchange) =>
  h(
    "button.button.small",
    { type: "button", "aria-pressed": () => String(isOn()), onclick: () => onchange(!isOn()) },
    label,
  );

/** Keeps filters in the address, so that "back" returns to them. @param {string} path @param {Record<string, string>} query */
export const keepInAddress = (path, query) => history.replaceState(history.state, "", link(path, query));
