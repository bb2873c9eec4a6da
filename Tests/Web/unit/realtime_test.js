// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { json, withGateway } from "./gateway.js";
import { pause } from "../../../Services/Web/Client/shared/api.js";
import { flush } from "../../../Services/Web/Client/shared/signals.js";
import { user } from "../../../Services/Web/Client/shared/session.js";
import { follow, frames, isLive, on } from "../../../Services/Web/Client/shared/realtime.js";

/** @param {...string} pieces */
const body = (...pieces) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });

Deno.test("events are read across pieces, with several lines of data and comments", async () => {
  const stream = body(
    "id: 7\nretry: 100",
    "0\n\n",
    ": keep-alive\n\nevent: note.shared\ndata: {\ndata: }\nid: 8\n\nevent: half\n",
  );
  const all = await Array.fromAsync(frames(stream));
  assert.deepEqual(all[0], { data: "", id: "7", retry: 1000 });
  assert.deepEqual(all[2], { data: "{\n}", name: "note.shared", id: "8" });
  assert.equal(all.length, 3);
});

Deno.test("a stream resumes after the last event, with the topics", async () => {
  /** @type {any[]} */
  const seen = [];
  const first =
    'id: 4\nretry: 1\n\nevent: topics\ndata: {"stream":"s","topics":["auction:1"],"refused":[]}\n\nid: 5\nevent: auction.bid\ndata: {"amount":10}\n\n';
  const answer = (/** @type {any} */ asked) => {
    if (asked.url.includes("/topics")) return json({ stream: "s", topics: [], refused: [] });
    const stream = asked.headers.get("Last-Event-ID")
      ? body('id: 6\nevent: auction.bid\ndata: {"amount":11}\n\nretry: 60000\n\n')
      : body(first);
    return new Response(stream, { headers: { "Content-Type": "text/event-stream" } });
  };
  user.set(/** @type {any} */ ({ id: "ada" }));
  flush();
  await withGateway(answer, async (asked) => {
    const stop = on("auction.*", (data) => seen.push(data.amount));
    const unfollow = follow("auction:1");
    for (let wait = 0; seen.length < 2 && wait < 100; wait++) await pause(10);
    assert.deepEqual(seen, [10, 11]);
    const streams = asked.filter((it) => it.method === "GET");
    assert.match(streams[0].url, /\/v1\/events\?topics=auction%3A1$/);
    assert.equal(streams[1].headers.get("Last-Event-ID"), "5");
    stop();
    unfollow();
    user.set(null);
    await pause(50);
    assert.equal(isLive.get(), false);
  });
});

Deno.test("topics are followed and left while the stream is open, many at once", async () => {
  /** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
  let open;
  const answer = (/** @type {any} */ asked) => {
    if (asked.method === "PUT") return json({ stream: "s", topics: [], refused: [] });
    const stream = new ReadableStream({ start: (it) => void (open = it) });
    open?.enqueue(new TextEncoder().encode('event: topics\ndata: {"stream":"s","topics":[],"refused":[]}\n\n'));
    return new Response(stream, { headers: { "Content-Type": "text/event-stream" } });
  };
  user.set(/** @type {any} */ ({ id: "ben" }));
  flush();
  await withGateway(answer, async (asked) => {
    const stops = [on("x", () => {}), follow("auction:1", "auction:2"), follow("auction:1")];
    await pause(60);
    const changes = () => asked.filter((it) => it.method === "PUT").map((it) => JSON.parse(it.body).topics);
    // the stream began without them
    assert.deepEqual(changes(), [["auction:1", "auction:2"]]);
    stops[1]();
    stops[1]();
    await pause(60);
    assert.deepEqual(changes().slice(1), [["auction:1"]]);
    stops.forEach((stop) => stop());
    user.set(null);
    await pause(50);
  });
});

Deno.test("a topic that the user may not follow is not asked for again and again", async () => {
  /** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
  let open;
  const announce = () =>
    open?.enqueue(new TextEncoder().encode('event: topics\ndata: {"stream":"s","topics":[],"refused":[]}\n\n'));
  const answer = (/** @type {any} */ asked) => {
    if (asked.method === "PUT") {
      // the stream says only what it follows from now on
      setTimeout(announce, 5);
      return json({ stream: "s", topics: [], refused: [{ topic: "conversation:1", reason: "notAllowed" }] });
    }
    const stream = new ReadableStream({ start: (it) => void (open = it) });
    announce();
    return new Response(stream, { headers: { "Content-Type": "text/event-stream" } });
  };
  user.set(/** @type {any} */ ({ id: "cleo" }));
  flush();
  await withGateway(answer, async (asked) => {
    const stop = follow("conversation:1");
    await pause(300);
    assert.equal(asked.filter((it) => it.method === "PUT").length, 1);
    stop();
    user.set(null);
    await pause(50);
  });
});
