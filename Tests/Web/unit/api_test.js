// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { json, withGateway } from "./gateway.js";
import { addressOf, call, isLastPage, onSessionEnd, pages, Problem } from "../../../Services/Web/Client/shared/api.js";

Deno.test("parameters go into the path, the query and the body", () =>
  withGateway(() => json({ id: "c" }, 201), async (asked) => {
    const comment = await call("POST /v1/listings/{id}/comments", { id: "a/b", body: { text: "Nice" } }, { key: "k" });
    assert.equal(comment.id, "c");
    assert.equal(asked[0].url, "/web/archived/v1/listings/a%2Fb/comments");
    assert.equal(asked[0].body, '{"text":"Nice"}');
    assert.equal(asked[0].headers.get("Idempotency-Key"), '"k"');
    assert.equal(asked[0].headers.get("Quintet-App"), "archived");
    await call("GET /v1/listings", { kind: "beat", limit: 5, cursor: undefined });
    assert.equal(asked[1].url, "/web/archived/v1/listings?kind=beat&limit=5");
    assert.equal(asked[1].headers.get("Quintet-App"), null);
  }));

Deno.test("the version that was seen is a condition", () =>
  withGateway(() => json({}), async (asked) => {
    await call("PATCH /v1/users/me", { body: { displayName: "Ada" } }, { version: 3 });
    assert.equal(asked[0].headers.get("If-Match"), '"3"');
  }));

Deno.test("addresses for images and players have the same form", () => {
  assert.equal(
    addressOf("GET /v1/media/{id}/thumbnail", { id: "m", width: 320 }),
    "/web/archived/v1/media/m/thumbnail?width=320",
  );
});

Deno.test("problems name the invalid fields", () =>
  withGateway(
    () =>
      json({
        type: "/problems/invalid-request",
        title: "Invalid",
        status: 422,
        code: "invalid-request",
        errors: [{ location: "body.price.amount", message: "must be positive" }],
      }, 422),
    async () => {
      const error = await call("GET /v1/users/me").catch((it) => it);
      assert.ok(Problem.is(error, "invalid-request"));
      assert.deepEqual(error.fields, { "price.amount": "must be positive" });
    },
  ));

Deno.test("reads are repeated while nothing answers, writes only with a key", () =>
  withGateway(
    (_, index) => index === 0 ? Promise.reject(new TypeError("no network")) : json({ id: "me" }),
    async (asked) => {
      assert.equal((await call("GET /v1/users/me")).id, "me");
      assert.equal(asked.length, 2);
    },
  ));

Deno.test("a write without a key is sent once; the problem says that there is no connection", () =>
  withGateway(() => Promise.reject(new TypeError("no network")), async (asked) => {
    const error = await call("POST /v1/cart/items", { body: { productID: "p", quantity: 1 } }).catch((it) => it);
    assert.ok(error.isOffline);
    assert.equal(asked.length, 1);
  }));

Deno.test("a keyed write is repeated with the same key", () =>
  withGateway((_, index) => index === 0 ? new Response(null, { status: 503 }) : json({}, 201), async (asked) => {
    await call("POST /v1/listings/{id}/comments", { id: "l", body: { text: "x" } }, { key: "same" });
    assert.deepEqual(asked.map((it) => it.headers.get("Idempotency-Key")), ['"same"', '"same"']);
  }));

Deno.test("pages follow the cursor to the end", () =>
  withGateway(
    ({ url }) => json(url.includes("cursor=2") ? { items: [3] } : { items: [1, 2], nextCursor: "2" }),
    async () => {
      /** @type {unknown[]} */
      const all = [];
      for await (const page of pages("GET /v1/listings", { kind: "beat" })) all.push(...page, isLastPage(page));
      assert.deepEqual(all, [1, 2, false, 3, true]);
    },
  ));

Deno.test("after a failure, the same page is asked for again", () =>
  withGateway(
    ({ url }, index) =>
      index === 1
        ? json({ code: "unknown", title: "", status: 500 }, 500)
        : json({ items: [url.includes("cursor=2")], nextCursor: "2" }),
    async () => {
      const list = pages("GET /v1/listings", {});
      await list.next();
      await assert.rejects(list.next());
      assert.deepEqual((await list.next()).value, [true]);
    },
  ));

Deno.test("an ended session is noticed; a wrong password is not one", async () => {
  let ended = 0;
  onSessionEnd(() => ended++);
  const refuse = (/** @type {string} */ code) => json({ type: "", title: "", status: 401, code }, 401);
  await withGateway(() => refuse("invalid-credentials"), () => call("GET /v1/users/me").catch(() => {}));
  assert.equal(ended, 0);
  await withGateway(() => refuse("session-revoked"), () => call("GET /v1/users/me").catch(() => {}));
  assert.equal(ended, 1);
});

Deno.test("an aborted call throws the reason", () =>
  withGateway(() => json({}), async () => {
    const reason = new Error("left");
    await assert.rejects(call("GET /v1/users/me", {}, { signal: AbortSignal.abort(reason) }), /left/);
  }));

/** Never called: the type check fails when one of these is accepted. */
export const rejectedByTypes = [
  // @ts-expect-error: there is no such operation
  () => call("GET /v1/nothing"),
  // @ts-expect-error: the path needs an id
  () => call("GET /v1/listings/{id}"),
  // @ts-expect-error: a comment has a text
  () => call("POST /v1/listings/{id}/comments", { id: "l", body: { words: "Nice" } }),
  // @ts-expect-error: there are beats and opens
  () => call("GET /v1/listings", { kind: "song" }),
  // @ts-expect-error: an account has no age
  async () => (await call("GET /v1/users/me")).age,
  // @ts-expect-error: this is no list
  () => pages("GET /v1/users/me", {}),
  // @ts-expect-error: nothing is read by POST
  () => addressOf("POST /v1/auth/logout", {}),
];
