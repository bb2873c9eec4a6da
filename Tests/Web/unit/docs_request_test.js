// @ts-check
import assert from "node:assert/strict";
import { buildRequest } from "../../../Services/Web/Client/docs/request.js";

Deno.test("values go where the operation has them, and empty ones nowhere", () => {
  const { target, init } = buildRequest("PATCH", "/v1/cart/items/{id}", [
    { name: "id", in: "path", value: "a/b c" },
    { name: "limit", in: "query", value: "20" },
    { name: "cursor", in: "query", value: "" },
    { name: "If-Match", in: "header", value: '"3"' },
    { name: "body", in: "body", value: '{"quantity":2}', type: "application/json" },
  ], "secret");
  const headers = new Headers(init.headers);
  assert.equal(target, "/v1/cart/items/a%2Fb%20c?limit=20");
  assert.equal(init.method, "PATCH");
  assert.equal(init.body, '{"quantity":2}');
  assert.equal(headers.get("authorization"), "Bearer secret");
  assert.equal(headers.get("if-match"), '"3"');
  assert.equal(headers.get("content-type"), "application/json");
});

Deno.test("a request without a token is anonymous, also for readers who are signed in to an app", () => {
  const { target, init } = buildRequest("GET", "/status", [], "");
  assert.equal(target, "/status");
  assert.equal(init.credentials, "omit");
  assert.equal(init.body, undefined);
  assert.equal(new Headers(init.headers).has("authorization"), false);
});

Deno.test("a file is sent as bytes", () => {
  const file = new File(["abc"], "a.bin");
  const { init } = buildRequest("PUT", "/v1/files", [{ name: "body", in: "body", value: file, type: "*/*" }], "");
  assert.equal(init.body, file);
  assert.equal(new Headers(init.headers).get("content-type"), "application/octet-stream");
});
