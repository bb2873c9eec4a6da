// @ts-check
/** The few parts of a document that the view core uses, for tests without a browser. */

class FakeNode extends EventTarget {
  /** @type {FakeNode[]} */
  childNodes = [];
  /** @type {FakeNode | null} */
  parentNode = null;

  get nextSibling() {
    const all = this.parentNode?.childNodes ?? [];
    return all[all.indexOf(this) + 1] ?? null;
  }

  /** @returns {string} */
  get textContent() {
    return this.childNodes.map((it) => it.textContent).join("");
  }
  set textContent(text) {
    this.replaceChildren(new FakeText(text));
  }

  /** @param {FakeNode} node */
  appendChild(node) {
    return this.insertBefore(node, null);
  }

  /**
   * @param {FakeNode} node
   * @param {FakeNode | null} before
   */
  insertBefore(node, before) {
    if (node instanceof FakeFragment) {
      for (const child of [...node.childNodes]) this.insertBefore(child, before);
      return node;
    }
    node.parentNode?.removeChild(node);
    const index = before ? this.childNodes.indexOf(before) : this.childNodes.length;
    this.childNodes.splice(index, 0, node);
    node.parentNode = this;
    moved.add(node);
    return node;
  }

  /** @param {FakeNode} node */
  removeChild(node) {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
    node.parentNode = null;
    return node;
  }

  /** @param {...FakeNode} nodes */
  append(...nodes) {
    for (const node of nodes) this.appendChild(node);
  }

  /** @param {...FakeNode} nodes */
  replaceChildren(...nodes) {
    for (const child of [...this.childNodes]) this.removeChild(child);
    this.append(...nodes);
  }
}

class FakeFragment extends FakeNode {}

class FakeText extends FakeNode {
  /** @param {string} data */
  constructor(data) {
    super();
    this.data = data;
  }
  /** @override */
  get textContent() {
    return this.data;
  }
  /** @override */
  set textContent(text) {
    this.data = text;
  }
}

class FakeComment extends FakeNode {}

class FakeElement extends FakeNode {
  /** @type {Map<string, string>} */
  attributes = new Map();
  value = "";
  style = { setProperty() {} };

  /** @param {string} name */
  constructor(name) {
    super();
    this.localName = name;
  }
  classList = {
    toggle: (/** @type {string} */ name, /** @type {boolean} */ isOn) => {
      const names = new Set((this.getAttribute("class") ?? "").split(" ").filter(Boolean));
      if (isOn) names.add(name);
      else names.delete(name);
      this.setAttribute("class", [...names].join(" "));
    },
  };
  /** @param {string} name */
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  /**
   * @param {string} name
   * @param {string} value
   */
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }
  /** @param {string} name */
  removeAttribute(name) {
    this.attributes.delete(name);
  }
  focus() {}
}

/** The nodes that were put somewhere. @type {Set<unknown>} */
export const moved = new Set();

/**
 * The elements of a tree for which a test is true.
 * @param {any} root
 * @param {(element: any) => boolean} isWanted
 * @returns {any[]}
 */
export const find = (root, isWanted) =>
  root.childNodes.flatMap((/** @type {any} */ it) => [
    ...(it instanceof FakeElement && isWanted(it) ? [it] : []),
    ...find(it, isWanted),
  ]);

Object.assign(globalThis, {
  Node: FakeNode,
  Text: FakeText,
  document: Object.assign(new EventTarget(), {
    hidden: false,
    querySelector: () => null,
    body: new FakeElement("body"),
    head: { append: (/** @type {any} */ styles) => styles.onload() },
    createElement: (/** @type {string} */ name) => new FakeElement(name),
    createElementNS: (/** @type {string} */ _, /** @type {string} */ name) => new FakeElement(name),
    createTextNode: (/** @type {string} */ text) => new FakeText(text),
    createComment: () => new FakeComment(),
    createDocumentFragment: () => new FakeFragment(),
    documentElement: { dataset: { app: "archived", base: "/archived" } },
  }),
});
