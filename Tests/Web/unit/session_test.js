// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { json, withGateway } from "./gateway.js";
import { flush } from "../../../Services/Web/Client/shared/signals.js";
import { signedIn, signOut, startSession, user } from "../../../Services/Web/Client/shared/session.js";

const ada = /** @type {any} */ ({ id: "ada", roles: ["user"] });
const away = () => Promise.reject(new TypeError("no network"));

Deno.test("an app that works offline starts for who was signed in last", async () => {
  localStorage.clear();
  await withGateway(() => json({ isSignedIn: true, user: ada }), () => startSession({ worksOffline: true }));
  flush();
  const kept = localStorage.getItem("quintet.archived.user");
  assert.deepEqual(JSON.parse(kept ?? "null"), ada);
  await assert.rejects(withGateway(away, () => startSession()), { code: "offline" });
  localStorage.setItem("quintet.archived.user", JSON.stringify({ ...ada, id: "last" }));
  await withGateway(away, () => startSession({ worksOffline: true }));
  assert.equal(user.get()?.id, "last");
});

Deno.test("signing out is for the gateway to do, and nothing of the user stays", async () => {
  localStorage.clear();
  signedIn({ user: ada, missingFields: [], session: "s" });
  flush();
  await assert.rejects(withGateway(away, signOut), { code: "offline" });
  assert.deepEqual(user.get(), ada);
  await withGateway(() => new Response(null, { status: 204 }), async (asked) => {
    await signOut();
    assert.equal(`${asked[0].method} ${asked[0].url}`, "DELETE /web/archived/session");
  });
  flush();
  assert.equal(user.get(), null);
  assert.equal(localStorage.length, 0);
});
