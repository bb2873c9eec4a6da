// @ts-check
/**
 * Events of the platform as they happen: one stream for the app, with the user's own events and those of the topics that
 * parts of the page follow. It resumes after the last event that it has received (`Last-Event-ID`).
 */
import { call, pause, Problem, send } from "./api.js";
import { gateway } from "./app.js";
import { user } from "./session.js";
import { effect, onCleanUp, state, untracked } from "./signals.js";

/** @typedef {{ name: string, data: any }} RealtimeEvent */

/** Whether events arrive; for a notice that what is shown may be old. */
export const isLive = state(false);

/** @type {Set<{ names: string[], listener: (data: any, name: string) => void }>} */
const listeners = new Set();
/** @type {Map<string, number>} how many parts of the page follow a topic */
const topics = new Map();
/** @type {AbortController | null} */
let connection = null;
let stream = "";
let lastEvent = "";
let isChanging = false;
/** Topics that the user may not follow, as the last change has said: events of the stream do not repeat it. */
let denied = /** @type {Set<string>} */ (new Set());

/**
 * Calls `listener` with the data of events of these names, until the part of the page around it is removed. Names may end
 * with `*`: `message.*`. `resync` comes when events were missed: load again what is shown.
 * @param {string | string[]} names
 * @param {(data: any, name: string) => void} listener
 * @returns {() => void} stops it
 */
export function on(names, listener) {
  const entry = { names: [names].flat(), listener };
  listeners.add(entry);
  const stop = () => void listeners.delete(entry);
  onCleanUp(stop);
  connect();
  return stop;
}

/**
 * Follows topics, such as `auction:{id}`, until the part of the page around it is removed.
 * @param {...string} names
 * @returns {() => void} stops it
 */
export function follow(...names) {
  let isOn = true;
  for (const name of names) topics.set(name, (topics.get(name) ?? 0) + 1);
  changeTopics();
  const stop = () => {
    if (!isOn) return;
    isOn = false;
    for (const name of names) {
      const count = (topics.get(name) ?? 1) - 1;
      if (count > 0) topics.set(name, count);
      else topics.delete(name);
    }
    changeTopics();
  };
  onCleanUp(stop);
  connect();
  return stop;
}

// a stream is one person's: another begins with the next
let listensFor = user.get()?.id;
effect(() => {
  const id = user.get()?.id;
  if (id === listensFor) return;
  listensFor = id;
  disconnect();
  if (listeners.size + topics.size > 0) connect();
});

/** Ends the stream. The next `on` or `follow` begins another. */
export function disconnect() {
  connection?.abort();
  connection = null;
  lastEvent = stream = "";
}

function connect() {
  if (connection || !untracked(() => user.get())) return;
  connection = new AbortController();
  run(connection.signal).catch(() => {}).finally(() => isLive.set(false));
}

/** @param {AbortSignal} signal */
async function run(signal) {
  let failures = 0;
  while (!signal.aborted) {
    let retry = 1000;
    const idle = new IdleTimeout(signal);
    try {
      for await (const frame of open(idle.signal)) {
        idle.renew();
        failures = 0;
        isLive.set(true);
        if (frame.retry) retry = frame.retry;
        if (frame.id) lastEvent = frame.id;
        if (frame.name) receive(frame.name, JSON.parse(frame.data || "null"));
      }
    } catch (error) {
      if (signal.aborted) return;
      // signed out: a sign-in begins another stream
      if (error instanceof Problem && error.status === 401) return disconnect();
      retry = Math.min(30_000, 1000 * 2 ** failures++) * (0.5 + Math.random());
    } finally {
      idle.end();
    }
    isLive.set(false);
    await pause(retry, signal);
  }
}

/** Aborts a stream on which nothing arrives, not even what keeps it alive: the device has slept or changed its network. */
class IdleTimeout {
  #controller = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {AbortSignal} outer */
  constructor(outer) {
    this.signal = AbortSignal.any([outer, this.#controller.signal]);
    this.renew();
  }

  renew() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), 45_000);
  }

  end() {
    clearTimeout(this.#timer);
  }
}

/** @param {AbortSignal} signal */
async function* open(signal) {
  const headers = new Headers({ Accept: "text/event-stream" });
  if (lastEvent) headers.set("Last-Event-ID", lastEvent);
  // parts of the page that are built together follow their topics together
  await Promise.resolve();
  const query = topics.size > 0 ? `?topics=${[...topics.keys()].map(encodeURIComponent).join(",")}` : "";
  const response = await send(`${gateway}/v1/events${query}`, { headers, signal, cache: "no-store" });
  if (!response.ok || !response.body) throw await Problem.of(response);
  yield* frames(response.body);
}

/**
 * @param {string} name
 * @param {any} data
 */
function receive(name, data) {
  if (name === "topics") {
    stream = data.stream;
    if (!isSame(data)) changeTopics();
  }
  for (const { names, listener } of listeners) {
    const isWanted = names.some((it) => it === name || (it.endsWith("*") && name.startsWith(it.slice(0, -1))));
    if (isWanted) listener(data, name);
  }
}

/** @param {{ topics: string[], refused: { topic: string }[] }} followed */
function isSame({ topics: followed, refused }) {
  const known = new Set([...followed, ...refused.map((it) => it.topic), ...denied]);
  return topics.size <= known.size && [...topics.keys()].every((it) => known.has(it));
}

/** Says which topics the open stream follows, once for all changes of a task. */
async function changeTopics() {
  if (isChanging || !stream) return;
  isChanging = true;
  await pause(20);
  isChanging = false;
  if (!connection || !stream) return;
  try {
    const { refused } = await call("PUT /v1/events/{stream}/topics", { stream, body: { topics: [...topics.keys()] } });
    denied = new Set(refused.filter((it) => it.reason === "notAllowed").map((it) => it.topic));
  } catch (error) {
    // the stream has ended meanwhile: the next one begins with the topics
    if (!Problem.is(error)) throw error;
  }
}

/** @typedef {{ id?: string, name?: string, data: string, retry?: number }} Frame */

/**
 * Reads server-sent events (WHATWG HTML §9.2.6).
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @returns {AsyncGenerator<Frame, void, void>}
 */
export async function* frames(body) {
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield parse(block);
  }
}

/** @param {string} block the lines of one event */
function parse(block) {
  /** @type {Frame} */
  const frame = { data: "" };
  /** @type {string[]} */
  const data = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^(\w*):? ?(.*)$/s.exec(line) ?? [];
    if (field === "data") data.push(value);
    else if (field === "event") frame.name = value;
    else if (field === "id") frame.id = value;
    else if (field === "retry") frame.retry = Number(value);
  }
  frame.data = data.join("\n");
  return frame;
}
