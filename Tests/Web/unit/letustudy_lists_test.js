// @ts-check
import { find } from "./document.js";
import assert from "node:assert/strict";
import { eventStream, json, settle, withGateway } from "./gateway.js";
import { materials } from "../../../Services/Web/Client/letustudy/components/course/materials.js";
import { planMembers } from "../../../Services/Web/Client/letustudy/components/plans/members.js";
import { user } from "../../../Services/Web/Client/shared/session.js";
import { flush, mount, state } from "../../../Services/Web/Client/shared/view.js";

const course = /** @type {any} */ ({ id: "c", role: "owner", state: "active" });

/** @param {string} ids one letter each @param {string} [nextCursor] */
const page = (ids, nextCursor) =>
  json({ items: [...ids].map((id) => ({ id, title: id, kind: "text", text: id, version: 1 })), nextCursor });

/** @param {() => Node} build */
function show(build) {
  const root = /** @type {any} */ (document).createElement("main");
  const unmount = mount(root, build);
  return {
    unmount,
    titles: () => (flush(), find(root, (it) => it.localName === "strong").map((it) => it.textContent).join("")),
    /** @param {string} label */
    click: (label) => find(root, (it) => it.getAttribute("aria-label") === label)[0].dispatchEvent(new Event("click")),
    text: () => (flush(), root.textContent),
  };
}

Deno.test("a move ends when its list does", async () => {
  /** @type {((answer: Response) => void)[]} */
  const waiting = [];
  await withGateway(() => new Promise((resolve) => waiting.push(resolve)), async (asked) => {
    const list = show(() => materials(course));
    await settle();
    waiting[0](page("ab", "1"));
    await settle();
    assert.equal(list.titles(), "ab");
    list.click("Move “a” down");
    await settle();
    list.unmount();
    waiting[1](page("cd", "2"));
    await settle();
    assert.equal(asked.length, 2);
  });
});

Deno.test("an order that is refused shows what others have changed, and the next is taken", async () => {
  let stored = "abc";
  /** @type {string[]} */
  const orders = [];
  /** @param {import("./gateway.js").Asked} asked */
  const answer = ({ method, body }) => {
    if (method === "GET") return page(stored);
    const order = JSON.parse(body).materials.join("");
    orders.push(order);
    if ([...order].toSorted().join("") !== [...stored].toSorted().join("")) {
      return json({ code: "invalid-request", title: "" }, 422);
    }
    stored = order;
    return new Response(null, { status: 204 });
  };
  await withGateway(answer, async () => {
    const list = show(() => materials(course));
    await settle();
    stored = "abcd";
    list.click("Move “a” down");
    await settle();
    assert.equal(list.titles(), "abcd");
    list.click("Move “a” down");
    await settle();
    assert.equal(list.titles(), "bacd");
    stored = "bcd";
    list.click("Move “a” down");
    await settle();
    assert.equal(list.titles(), "bcd");
    assert.deepEqual(orders, ["bac", "bacd", "bcad"]);
    list.unmount();
  });
});

Deno.test("materials follow what others change", async () => {
  const events = eventStream();
  let stored = "ab";
  user.set(/** @type {any} */ ({ id: "ada" }));
  flush();
  await withGateway(({ url }) => url.includes("/v1/events") ? events.answer() : page(stored), async (asked) => {
    const list = show(() => materials(course));
    await settle();
    assert.match(asked.map((it) => it.url).join(), /events\?topics=course%3Ac/);
    stored = "bac";
    events.emit("materials.changed", { course: "c" });
    await settle();
    assert.equal(list.titles(), "bac");
    list.unmount();
    user.set(null);
    flush();
  });
});

Deno.test("members and invitations follow the plan", async () => {
  const events = eventStream();
  let [members, invitations] = [/** @type {string[]} */ (["Ben"]), ["cleo@example.com"]];
  /** @param {import("./gateway.js").Asked} asked */
  const answer = ({ url }) => {
    if (url.includes("/v1/events")) return events.answer();
    if (url.includes("/invitations")) {
      return json({ items: invitations.map((email) => ({ id: email, email, expiresAt: "2026-11-20T10:00:00Z" })) });
    }
    const items = members.map((displayName) => ({
      userID: displayName,
      name: { displayName },
      joinedAt: "2026-11-20T10:00:00Z",
    }));
    return json({ items });
  };
  user.set(/** @type {any} */ ({ id: "ada" }));
  flush();
  await withGateway(answer, async () => {
    const subscription = state(/** @type {any} */ ({ isActive: false }));
    const page = show(() => planMembers("s", subscription, () => Promise.resolve()));
    await settle();
    assert.match(page.text(), /Ben.*cleo@example.com/);
    [members, invitations] = [["Ben", "Cleo"], []];
    events.emit("plan.changed", { subscription: "s" });
    await settle();
    assert.match(page.text(), /Ben.*Cleo/);
    assert.doesNotMatch(page.text(), /cleo@example.com/);
    page.unmount();
    user.set(null);
    flush();
  });
});
