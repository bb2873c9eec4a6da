// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { json, withGateway } from "./gateway.js";
import { isOn } from "../../../Services/Web/Client/shared/features.js";
import { pause } from "../../../Services/Web/Client/shared/api.js";

// it looks again in a minute, which the test does not wait for
Deno.test(
  { name: "what is switched off is not on, once it is known; all is asked for at once", sanitizeOps: false },
  () =>
    withGateway(
      () =>
        json({ items: [{ name: "uploads", isOn: false, version: 1 }, { name: "of a newer platform", isOn: false }] }),
      async (asked) => {
        assert.ok(isOn("uploads"));
        assert.ok(isOn("messages"));
        await pause(0);
        assert.ok(!isOn("uploads"));
        assert.ok(isOn("messages"));
        assert.deepEqual(asked.map((it) => it.url), ["/web/archived/v1/features"]);
      },
    ),
);
