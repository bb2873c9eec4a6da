// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { json, withGateway } from "./gateway.js";
import { upload } from "../../../Services/Web/Client/shared/upload.js";

/** A tus server that keeps what it gets. */
class Uploads {
  stored = 0;
  failures = 0;
  length = 0;

  /** @param {import("./gateway.js").Asked} asked */
  async answer({ method, url, headers, body }) {
    if (method === "POST") {
      this.length = Number(headers.get("Upload-Length"));
      return new Response(null, { status: 201, headers: { Location: "http://platform/v1/uploads/u1" } });
    }
    if (!url.endsWith("/v1/uploads/u1")) return json({ code: "not-found", status: 404, title: "" }, 404);
    if (method === "HEAD") {
      return new Response(null, { status: 200, headers: { "Upload-Offset": String(this.stored) } });
    }
    const bytes = (await body.arrayBuffer()).byteLength;
    assert.equal(Number(headers.get("Upload-Offset")), this.stored);
    if (this.failures-- > 0) {
      this.stored += Math.floor(bytes / 2);
      throw new TypeError("connection lost");
    }
    this.stored += bytes;
    /** @type {Record<string, string>} */
    const done = this.stored === this.length ? { "Upload-Media": "medium" } : {};
    return new Response(null, { status: 204, headers: { "Upload-Offset": String(this.stored), ...done } });
  }
}

const file = () => new File([new Uint8Array(1000)], "beat.wav", { lastModified: 1 });

Deno.test("a file is sent in pieces, and becomes a media item", async () => {
  localStorage.clear();
  const server = new Uploads();
  await withGateway((it) => server.answer(it), async (asked) => {
    /** @type {number[]} */
    const parts = [];
    const medium = await upload(file(), { kind: "audio", pieceBytes: 400, onProgress: (it) => parts.push(it) });
    assert.equal(medium, "medium");
    assert.deepEqual(parts, [0, 0.4, 0.8, 1]);
    assert.match(asked[0].headers.get("Upload-Metadata") ?? "", /^filename YmVhdC53YXY=,kind YXVkaW8=$/);
    assert.equal(localStorage.length, 0);
  });
});

Deno.test("after a lost connection it continues where the server is", async () => {
  localStorage.clear();
  const server = new Uploads();
  server.failures = 1;
  await withGateway((it) => server.answer(it), async () => {
    assert.equal(await upload(file(), { pieceBytes: 400 }), "medium");
    assert.equal(server.stored, 1000);
  });
});

Deno.test("an upload continues after the page was closed", async () => {
  localStorage.clear();
  const server = new Uploads();
  await withGateway((it) => server.answer(it), async (asked) => {
    const controller = new AbortController();
    const left = upload(file(), {
      pieceBytes: 400,
      signal: controller.signal,
      onProgress: (it) => it > 0 && controller.abort(),
    });
    await assert.rejects(left);
    assert.equal(server.stored, 400);
    assert.equal(await upload(file(), { pieceBytes: 400 }), "medium");
    assert.equal(asked.filter((it) => it.method === "POST").length, 1);
  });
});

Deno.test("a refused file is not tried again", async () => {
  localStorage.clear();
  const refusal = json({ code: "media-type-unsupported", status: 415, title: "" }, 415);
  const answer = (/** @type {any} */ { method }) =>
    method === "PATCH"
      ? refusal
      : method === "POST"
      ? new Response(null, { status: 201, headers: { Location: "/v1/uploads/u1" } })
      : new Response(null, { headers: { "Upload-Offset": "0" } });
  await withGateway(answer, async () => {
    await assert.rejects(upload(file()), { code: "media-type-unsupported" });
    assert.equal(localStorage.length, 0);
  });
});
