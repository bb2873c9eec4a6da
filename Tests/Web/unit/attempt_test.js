// @ts-check
import "./document.js";
import "./locale.js";
import assert from "node:assert/strict";
import { changeAtOnce } from "../../../Services/Web/Client/shared/components/attempt.js";
import { state } from "../../../Services/Web/Client/shared/view.js";

Deno.test("a value is shown at once, and the former one again after a refusal", async () => {
  const count = state(1);
  const done = changeAtOnce(count, 2, () => Promise.resolve());
  assert.equal(count.get(), 2);
  await done;
  assert.equal(count.get(), 2);
  const refused = changeAtOnce(count, 3, () => Promise.reject(new DOMException("left", "AbortError")));
  assert.equal(count.get(), 3);
  await refused;
  assert.equal(count.get(), 2);
});
