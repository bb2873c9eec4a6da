// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { link, match, signInPath } from "../../../Services/Web/Client/shared/router.js";

Deno.test("paths match patterns part by part", () => {
  assert.deepEqual(match("/listings/{id}", "/listings/a%20b"), { id: "a b" });
  assert.deepEqual(match("/", "/"), {});
  assert.deepEqual(match("/people/", "/people"), {});
  assert.equal(match("/listings/{id}", "/listings"), null);
  assert.equal(match("/listings/{id}", "/listings/1/edit"), null);
  assert.deepEqual(match("*", "/anything/else"), {});
});

Deno.test("links begin with the app's base and leave out what is empty", () => {
  assert.equal(link("/listings", { query: "drum & bass", tag: "" }), "/archived/listings?query=drum+%26+bass");
  assert.equal(signInPath("/cart?x=1"), "/sign-in?next=%2Fcart%3Fx%3D1");
  assert.equal(signInPath("/"), "/sign-in");
});
