// @ts-check
import { moved } from "./document.js";
import assert from "node:assert/strict";
import { each, flush, h, mount, onCleanUp, state } from "../../../Services/Web/Client/shared/view.js";

/** @param {any} node */
const children = (node) => node.childNodes.filter((/** @type {any} */ it) => it.localName);

Deno.test("an element has attributes, classes, children and listeners", () => {
  let clicks = 0;
  const element = h(
    "button.button.primary",
    { type: "button", disabled: true, hidden: false, onclick: () => clicks++ },
    "Buy ",
    2,
    null,
    [" now"],
  );
  assert.equal(element.localName, "button");
  assert.equal(element.getAttribute("class"), "button primary");
  assert.equal(element.getAttribute("disabled"), "");
  assert.equal(element.getAttribute("hidden"), null);
  assert.equal(element.textContent, "Buy 2 now");
  element.dispatchEvent(new Event("click"));
  assert.equal(clicks, 1);
});

Deno.test("text never becomes markup", () => {
  const element = h("p", null, "<img src=x onerror=alert(1)>");
  assert.equal(children(element).length, 0);
  assert.equal(element.textContent, "<img src=x onerror=alert(1)>");
});

Deno.test("attributes and texts follow signals; classes of the tag stay", () => {
  const name = state("Ada");
  const element = h(
    "p.note",
    { title: name, class: () => name.get() === "Ada" ? "first" : "" },
    "by ",
    () => name.get(),
  );
  assert.equal(element.textContent, "by Ada");
  assert.equal(element.getAttribute("class"), "note first");
  name.set("Ben");
  flush();
  assert.equal(element.textContent, "by Ben");
  assert.equal(element.getAttribute("title"), "Ben");
  assert.equal(element.getAttribute("class"), "note");
});

Deno.test("a part of a page is exchanged, and what it has started ends", () => {
  const isOpen = state(true);
  let cleanUps = 0;
  const element = h("div", null, () => {
    if (!isOpen.get()) return "closed";
    onCleanUp(() => cleanUps++);
    return [h("b", null, "open"), h("i", null, "ed")];
  }, "!");
  assert.equal(element.textContent, "opened!");
  isOpen.set(false);
  flush();
  assert.equal(element.textContent, "closed!");
  assert.equal(cleanUps, 1);
});

Deno.test("a part within a part keeps to itself", () => {
  const [outer, inner] = [state("a"), state("x")];
  let builds = 0;
  const element = h("div", null, () => {
    builds++;
    return h("p", null, outer.get(), () => inner.get());
  });
  inner.set("y");
  flush();
  assert.equal(element.textContent, "ay");
  assert.equal(builds, 1);
  outer.set("b");
  flush();
  assert.equal(element.textContent, "by");
});

Deno.test("rows keep their elements when the list is sorted, and follow their items", () => {
  const items = state([{ id: 1, name: "a" }, { id: 2, name: "b" }, { id: 3, name: "c" }]);
  let builds = 0;
  const list = h(
    "ul",
    null,
    each(items, (it) => it.id, (item) => {
      builds++;
      return h("li", null, () => item.get().name);
    }),
  );
  const [a, b, c] = children(list);
  items.set([{ id: 3, name: "C" }, { id: 1, name: "a" }, { id: 2, name: "b" }]);
  flush();
  assert.deepEqual(children(list), [c, a, b]);
  assert.equal(list.textContent, "Cab");
  assert.equal(builds, 3);
});

Deno.test("rows that stay are not touched, so that focus and playback stay", () => {
  const items = state([1, 2, 3, 4]);
  const list = h("ul", null, each(items, (it) => it, (item) => h("li", null, () => item.get())));
  const before = children(list);
  moved.clear();
  items.set([1, 2, 4, 5]);
  flush();
  assert.equal(list.textContent, "1245");
  assert.deepEqual(before.map((/** @type {any} */ it) => moved.has(it)), [false, false, false, false]);
});

Deno.test("rows that go end their effects; a repeated key counts once", () => {
  const items = state(["a", "b", "b"]);
  /** @type {string[]} */
  const gone = [];
  const list = h(
    "ul",
    null,
    each(items, (it) => it, (item) => {
      const name = item.get();
      onCleanUp(() => gone.push(name));
      return h("li", null, name);
    }),
  );
  assert.equal(list.textContent, "ab");
  items.set(["b"]);
  flush();
  assert.deepEqual(gone, ["a"]);
});

Deno.test("what is unmounted ends with all its rows", () => {
  const page = h("main", null);
  const items = state([1, 2]);
  let gone = 0;
  const unmount = mount(page, () =>
    h(
      "ul",
      null,
      each(items, (it) => it, () => {
        onCleanUp(() => gone++);
        return h("li", null);
      }),
    ));
  unmount();
  assert.equal(gone, 2);
  assert.equal(page.childNodes.length, 0);
});

Deno.test("a select's value is set after its options", () => {
  /** @type {string[]} */
  const order = [];
  const select = h(
    "select",
    {
      value: "b",
      ref: (/** @type {any} */ it) =>
        Object.defineProperty(it, "value", {
          get: () => "",
          set: () => order.push(`value of ${it.childNodes.length} options`),
        }),
    },
    h("option", { value: "a" }),
    h("option", { value: "b" }),
  );
  assert.ok(select);
  assert.deepEqual(order, ["value of 2 options"]);
});

Deno.test("a signal is a child, an object is classes, and custom properties are styles", () => {
  const count = state(1);
  /** @type {Record<string, string>} */
  const styles = {};
  const element = h("p.note", {
    class: { big: true, small: false },
    ref: (/** @type {any} */ it) =>
      it.style = { setProperty: (/** @type {string} */ name, /** @type {string} */ value) => styles[name] = value },
    style: { "--hue": 20 },
  }, count);
  count.update((it) => it + 1);
  flush();
  assert.equal(element.textContent, "2");
  assert.equal(element.getAttribute("class"), "note big");
  assert.deepEqual(styles, { "--hue": "20" });
});

Deno.test("a part that goes is not updated before", () => {
  const person = state(/** @type {{ name: string } | null} */ ({ name: "Ada" }));
  const element = h("div", null, () => {
    if (!person.get()) return "no one";
    return h("p", null, () => person.get()?.name.toUpperCase() ?? assert.fail("it should be gone"));
  });
  person.set({ name: "Ben" });
  flush();
  assert.equal(element.textContent, "BEN");
  person.set(null);
  flush();
  assert.equal(element.textContent, "no one");
});
