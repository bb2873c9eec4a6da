// @ts-check
/** Builds elements: without innerHTML, so that no text can become markup, and updates only what depends on a value. */
import { Computed, effect, onCleanUp, Scope, State, state, untracked } from "./signals.js";

export { Computed, computed, effect, flush, onCleanUp, State, state, untracked } from "./signals.js";

/**
 * A function or signal among the children is a part of the page that follows its value.
 * @typedef {Node | string | number | boolean | null | undefined | State<any> | Computed<any> | (() => any) | any[]} Child
 */
/**
 * Names in lower case as in HTML. `onclick` and the like are listeners, a function or signal as a value is followed,
 * `true` is an empty attribute, `false`, `null` and `undefined` are none. `class` may be an object, `style` has custom
 * properties only, as the policy forbids the attribute. `value`, `checked` and the like are properties.
 * @typedef {Record<string, any>} Props
 */

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "rect", "line", "g", "polyline", "polygon", "text"]);
const PROPERTIES = new Set(["value", "checked", "indeterminate", "srcObject", "muted", "selected", "currentTime"]);

/**
 * An element: `h("p.note", { id: "x" }, "text", () => count.get())`. Classes may follow the tag's name.
 * @template {string} Tag
 * @param {Tag} tag
 * @param {Props | null} [props]
 * @param {...Child} children
 * @returns {Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag]
 *   : Tag extends `${infer Name}.${string}` ? (Name extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Name] : HTMLElement)
 *   : HTMLElement}
 */
export function h(tag, props, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = SVG_TAGS.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  if (classes.length > 0) element.setAttribute("class", classes.join(" "));
  const { value, ...others } = props ?? {};
  for (const [key, it] of Object.entries(others)) setProp(element, key, it, classes);
  append(element, children);
  // after the children: the value of a select is one of its options
  if (value !== undefined) setProp(element, "value", value, classes);
  return /** @type {any} */ (element);
}

/**
 * @param {Element} element
 * @param {string} key
 * @param {any} value
 * @param {string[]} classes
 */
function setProp(element, key, value, classes) {
  if (key === "ref") return value(element);
  if (key.startsWith("on")) return value && element.addEventListener(key.slice(2), value);
  const apply = (/** @type {any} */ it) => applyProp(element, key, it, classes);
  if (typeof value === "function") effect(() => apply(value()));
  else if (value instanceof State || value instanceof Computed) effect(() => apply(value.get()));
  else apply(value);
}

/**
 * @param {any} element
 * @param {string} key
 * @param {any} value
 * @param {string[]} classes those that follow the tag's name, and always stay
 */
function applyProp(element, key, value, classes) {
  if (PROPERTIES.has(key) && key in element) {
    if (element[key] !== value) element[key] = value ?? "";
  } else if (key === "class" && typeof value === "object" && value) {
    for (const [name, isOn] of Object.entries(value)) element.classList.toggle(name, Boolean(isOn));
  } else if (key === "class") {
    element.setAttribute("class", [...classes, value || ""].join(" ").trim());
  } else if (key === "style" && value) {
    for (const [name, text] of Object.entries(value)) element.style.setProperty(name, String(text));
  } else if (value === false || value === null || value === undefined) {
    element.removeAttribute(key);
  } else {
    element.setAttribute(key, value === true ? "" : String(value));
  }
}

/**
 * @param {Node} parent
 * @param {Child[]} children
 */
export function append(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || typeof child === "boolean") continue;
    if (Array.isArray(child)) append(parent, child);
    else if (child instanceof Node) parent.appendChild(child);
    else if (typeof child === "function") parent.appendChild(region(child));
    else if (child instanceof State || child instanceof Computed) parent.appendChild(region(() => child.get()));
    else parent.appendChild(document.createTextNode(String(child)));
  }
}

/**
 * A part of a page that is built again when what it has read has changed; a single text is only exchanged.
 * @param {() => Child} content
 * @returns {DocumentFragment}
 */
function region(content) {
  const [start, end] = [document.createComment(""), document.createComment("")];
  const fragment = document.createDocumentFragment();
  fragment.append(start, end);
  effect(() => {
    const value = content();
    const only = start.nextSibling;
    const isText = typeof value === "string" || typeof value === "number";
    if (isText && only instanceof Text && only.nextSibling === end) {
      only.data = String(value);
      return;
    }
    removeBetween(start, end);
    const built = document.createDocumentFragment();
    append(built, [value]);
    end.parentNode?.insertBefore(built, end);
  });
  return fragment;
}

/**
 * @param {Node} start
 * @param {Node} end
 */
function removeBetween(start, end) {
  while (start.nextSibling && start.nextSibling !== end) start.nextSibling.parentNode?.removeChild(start.nextSibling);
}

/**
 * A row for each item, which keeps its element while its key stays: moved rather than built again.
 * @template T
 * @param {State<T[]> | Computed<T[]> | (() => T[])} items
 * @param {(item: T) => unknown} key
 * @param {(item: State<T>) => Node} render built once for each key; the item's signal follows its newer versions
 * @returns {DocumentFragment}
 */
export function each(items, key, render) {
  const read = typeof items === "function" ? items : () => items.get();
  const end = document.createComment("");
  const fragment = document.createDocumentFragment();
  fragment.append(end);
  /** @type {Map<unknown, { item: State<T>, node: Node, scope: Scope }>} */
  let rows = new Map();
  effect(() => {
    const current = read();
    untracked(() => {
      /** @type {typeof rows} */
      const next = new Map();
      for (const value of current) {
        const id = key(value);
        if (next.has(id)) continue;
        const known = rows.get(id);
        known?.item.set(value);
        next.set(id, known ?? buildRow(value, render));
      }
      for (const [id, row] of rows) if (!next.has(id)) removeRow(row);
      place([...next.values()].map((row) => row.node), end);
      rows = next;
    });
  });
  onCleanUp(() => rows.forEach((row) => row.scope.dispose()));
  return fragment;
}

/**
 * @template T
 * @param {T} value
 * @param {(item: State<T>) => Node} render
 */
function buildRow(value, render) {
  const item = state(value);
  const scope = new Scope();
  return { item, scope, node: scope.run(() => render(item)) };
}

/** @param {{ node: Node, scope: Scope }} row */
function removeRow({ node, scope }) {
  scope.dispose();
  node.parentNode?.removeChild(node);
}

/**
 * Brings nodes into order before `end`, and touches only those that are elsewhere, so that focus and playback stay.
 * @param {Node[]} nodes
 * @param {Node} end
 */
function place(nodes, end) {
  /** @type {Node} */
  let next = end;
  for (const node of nodes.reverse()) {
    if (node.nextSibling !== next) end.parentNode?.insertBefore(node, next);
    next = node;
  }
}

/**
 * Shows what `build` returns in `parent`, instead of what is there.
 * @param {Element} parent
 * @param {() => Child} build
 * @returns {() => void} removes it and ends its effects
 */
export function mount(parent, build) {
  const scope = new Scope();
  parent.replaceChildren();
  scope.run(() => append(parent, [build()]));
  return () => {
    scope.dispose();
    parent.replaceChildren();
  };
}
