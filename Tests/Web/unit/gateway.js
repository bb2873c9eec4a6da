// @ts-check
/** A gateway for tests: answers `fetch` by a function, and keeps what it was asked. */

/** @typedef {{ method: string, url: string, headers: Headers, body: any }} Asked */

/**
 * @template T
 * @param {(asked: Asked, index: number) => Response | Promise<Response>} answer
 * @param {(asked: Asked[]) => Promise<T>} test
 */
export async function withGateway(answer, test) {
  const original = globalThis.fetch;
  /** @type {Asked[]} */
  const all = [];
  globalThis.fetch = (input, init) => {
    init?.signal?.throwIfAborted();
    const asked = {
      method: init?.method ?? "GET",
      url: String(input),
      headers: new Headers(init?.headers),
      body: init?.body,
    };
    all.push(asked);
    return Promise.resolve(answer(asked, all.length - 1));
  };
  try {
    return await test(all);
  } finally {
    globalThis.fetch = original;
  }
}

/**
 * @param {unknown} body
 * @param {number} [status]
 */
export const json = (body, status = 200) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": status < 400 ? "application/json" : "application/problem+json" },
  });

/** The stream of events: `answer` is for `GET /v1/events`, and `emit` says one. */
export function eventStream() {
  /** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
  let open;
  return {
    answer: () =>
      new Response(new ReadableStream({ start: (it) => void (open = it) }), {
        headers: { "Content-Type": "text/event-stream" },
      }),
    /** @param {string} name @param {unknown} data */
    emit: (name, data) => open?.enqueue(new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)),
  };
}

/** Lets everything go on that waits for nothing but others. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
