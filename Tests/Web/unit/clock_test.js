// @ts-check
import assert from "node:assert/strict";
import { noteServerTime, serverNow } from "../../../Services/Web/Client/shared/clock.js";

Deno.test("the platform's clock is known better with each answer", () => {
  const ahead = 90_000;
  for (let at = 1_000_000; at < 1_010_000; at += 370) {
    noteServerTime(new Date(Math.floor((at + ahead) / 1000) * 1000).toUTCString(), at + 20);
  }
  const error = Math.abs(serverNow(2_000_000) - (2_000_000 + ahead));
  assert.ok(error < 600, `${error} ms`);
  noteServerTime("no date");
  noteServerTime(null);
});
