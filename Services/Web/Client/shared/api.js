// @ts-check
/**
 * Calls of the public API, typed by their operation:
 *
 *   const listing = await call("GET /v1/listings/{id}", { id });
 *
 * Parameters of the path and of the query and the `body` are one object. The gateway adds the session.
 */
import { app, gateway } from "./app.js";
import { noteServerTime } from "./clock.js";
import { language } from "./language.js";

/** @import { Operations } from "../../Types/api.d.ts" */
/** @typedef {keyof Operations} Operation */
/**
 * @template {Operation} O
 * @typedef {Operations[O]["args"]} Args
 */
/**
 * @template {Operation} O
 * @typedef {Operations[O]["response"]} Answer
 */
/**
 * - `version`: the version that has been seen, as `If-Match`; a newer one is the problem `version-mismatch`
 * - `key`: an idempotency key; the same for each attempt to do one thing. With it, the call is repeated by itself after a
 *   lost connection
 * - `headers`: others, such as `Accept-Language`
 * - `isPublic`: asked without the session, which may just be ending: what is the same for everyone
 * @typedef {{ signal?: AbortSignal, version?: number, key?: string, isPublic?: boolean, headers?: Record<string, string> }}
 *   CallOptions
 */

/** An error as the platform describes it (RFC 9457); `code` names it, `fields` has a message for each invalid field. */
export class Problem extends Error {
  /** @param {{ status: number, code: string, title: string, type?: string, detail?: string, trace?: string,
   *   errors?: { location: string, message: string }[], secondFactor?: any, retryAfter?: number }} body */
  constructor(body) {
    super(body.title);
    this.name = "Problem";
    this.status = body.status;
    this.code = body.code;
    this.title = body.title;
    this.type = body.type ?? `/problems/${body.code}`;
    this.detail = body.detail;
    this.trace = body.trace;
    this.errors = body.errors ?? [];
    this.secondFactor = body.secondFactor;
    /** Seconds after which it makes sense to try again. */
    this.retryAfter = body.retryAfter;
  }

  /** Messages by field: `{"email": "must be an e-mail address", "price.amount": "…"}`. */
  get fields() {
    const inBody = this.errors.filter((it) => /^(body|query)\./.test(it.location));
    return Object.fromEntries(inBody.map((it) => [it.location.replace(/^(body|query)\./, ""), it.message]));
  }

  /** No answer has come: there is no network, or the platform is away. */
  get isOffline() {
    return this.code === "offline";
  }

  /** @param {unknown} error */
  static is(error, /** @type {string[]} */ ...codes) {
    return error instanceof Problem && (codes.length === 0 || codes.includes(error.code));
  }

  /** @param {Response} response */
  static async of(response) {
    const isProblem = response.headers.get("Content-Type")?.includes("json");
    const body = isProblem ? await response.json().catch(() => ({})) : {};
    const words = language === "de" && await inGerman(body.code);
    return new Problem({
      code: "unknown",
      title: `HTTP ${response.status}`,
      ...body,
      ...(words && { title: words, detail: undefined }),
      status: response.status,
      retryAfter: Number(response.headers.get("Retry-After")) || undefined,
    });
  }
}

/**
 * What the platform says in English.
 * @param {string} code
 * @returns {Promise<string | undefined>}
 */
const inGerman = (code) => import("./strings/problems-de.js").then((it) => it.default[code], () => undefined);

/** What is called when the session has ended: the page of the app becomes that of someone who is signed out. */
const listeners = { sessionEnded: () => {} };

/** @param {() => void} listener */
export function onSessionEnd(listener) {
  listeners.sessionEnded = listener;
}

/**
 * The address of an operation that a browser loads by itself: of `<img>`, `<audio>`, `<video>` and downloads.
 * @template {Operation & `GET ${string}`} O
 * @param {O} operation
 * @param {Args<O>} args
 */
export function addressOf(operation, args) {
  return address(operation.slice(4), /** @type {any} */ (args));
}

/**
 * @param {string} path with `{names}`
 * @param {Record<string, any>} args
 */
function address(path, args) {
  const query = new URLSearchParams();
  const used = new Set(["body"]);
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    used.add(name);
    if (args[name] === undefined) throw new TypeError(`${path} needs ${name}`);
    return encodeURIComponent(args[name]);
  });
  for (const [name, value] of Object.entries(args)) {
    if (used.has(name) || value === undefined || value === null || value === "") continue;
    for (const it of Array.isArray(value) ? value : [value]) query.append(name, String(it));
  }
  return gateway + filled + (query.size > 0 ? `?${query}` : "");
}

/**
 * Calls an operation. Throws a {@link Problem}; an aborted call throws what `signal` was aborted with.
 * @template {Operation} O
 * @param {O} operation
 * @param {{} extends Args<O> ? [args?: Args<O>, options?: CallOptions] : [args: Args<O>, options?: CallOptions]} rest
 * @returns {Promise<Answer<O>>}
 */
export async function call(operation, ...rest) {
  const [args = {}, options = {}] = /** @type {[any, CallOptions?]} */ (rest);
  const [method, path] = operation.split(" ");
  const headers = new Headers(options.headers);
  if (method !== "GET") headers.set("Quintet-App", app);
  if (options.version !== undefined) headers.set("If-Match", `"${options.version}"`);
  if (method === "POST") headers.set("Idempotency-Key", `"${options.key ?? crypto.randomUUID()}"`);
  const body = encode(args.body, headers);
  /** @type {RequestInit} */
  const request = {
    method,
    headers,
    body,
    signal: options.signal,
    credentials: options.isPublic ? "omit" : "same-origin",
  };
  const response = await send(address(path, args), request, method === "GET" || options.key !== undefined ? 3 : 1);
  if (!response.ok) throw await Problem.of(response);
  if (response.status === 204 || response.headers.get("Content-Length") === "0") return /** @type {any} */ (undefined);
  const kind = response.headers.get("Content-Type") ?? "";
  return kind.includes("json") ? response.json() : kind ? /** @type {any} */ (response.blob()) : undefined;
}

/**
 * @param {any} body
 * @param {Headers} headers
 */
function encode(body, headers) {
  if (body === undefined) return undefined;
  if (body instanceof Blob || typeof body === "string") {
    if (!headers.has("Content-Type")) {
      headers.set("Content-Type", typeof body === "string" ? "text/csv" : body.type || "application/octet-stream");
    }
    return body;
  }
  headers.set("Content-Type", "application/json");
  return JSON.stringify(body);
}

/**
 * Sends to the gateway, up to `attempts` times while nothing answers or the platform is briefly unavailable.
 * @param {string} url
 * @param {RequestInit} request
 * @param {number} [attempts]
 * @returns {Promise<Response>}
 */
export async function send(url, request, attempts = 1) {
  for (let attempt = 1;; attempt++) {
    const response = await fetch(url, request).catch((error) => {
      if (request.signal?.aborted) throw error;
      return undefined;
    });
    noteServerTime(response?.headers.get("Date"));
    if (response?.status === 401) await noteRefusal(response);
    const isAway = !response || response.status === 503;
    // What was refused before it began may be sent again, whatever it is.
    const most = response?.status === 503 && await isOverloaded(response) ? Math.max(attempts, 3) : attempts;
    if (!isAway || attempt >= most) {
      if (response) return response;
      throw new Problem({ status: 0, code: "offline", title: "No connection" });
    }
    const wait = Number(response?.headers.get("Retry-After")) || 0.3 * 3 ** (attempt - 1);
    if (wait > 5 && response) return response;
    await pause(wait * 1000, request.signal ?? undefined);
  }
}

/** Those of 401 that mean that no one is signed in; others concern a password or a code. */
export const SESSION_ENDED = ["token-missing", "token-invalid", "token-expired", "session-revoked"];

/** @param {Response} response */
const isOverloaded = async (response) => Problem.is(await Problem.of(response.clone()), "overloaded");

/** @param {Response} response */
async function noteRefusal(response) {
  if (Problem.is(await Problem.of(response.clone()), ...SESSION_ENDED)) listeners.sessionEnded();
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** @typedef {{ [O in Operation]: Answer<O> extends { items: any[], nextCursor?: string } ? O : never }[Operation]} PagedOperation */

/** @type {WeakSet<object>} */
const lastPages = new WeakSet();

/** Whether a page of {@link pages} has none after it. @param {object} page */
export const isLastPage = (page) => lastPages.has(page);

/**
 * The pages of a list, one after another: `for await (const page of pages("GET /v1/listings", { kind: "beat" }))`.
 * @template {PagedOperation & Operation} O
 * @param {O} operation
 * @param {Args<O>} args
 * @param {CallOptions & { onpage?: (page: Answer<O>) => void }} [options] `onpage` gets what a page has besides its items
 * @returns {AsyncIterableIterator<Answer<O> extends { items: (infer Item)[] } ? Item[] : never>} after a failure, `next` asks again
 *   for the same page
 */
export function pages(operation, args, options) {
  /** @type {string | undefined} */
  let cursor;
  let isOver = false;
  return {
    async next() {
      if (isOver) return { done: true, value: undefined };
      const page = await /** @type {any} */ (call)(operation, { ...args, cursor }, options);
      options?.onpage?.(page);
      cursor = page.nextCursor;
      isOver = !cursor;
      if (isOver) lastPages.add(page.items);
      return { done: false, value: page.items };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
