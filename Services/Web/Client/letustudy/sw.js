// @ts-check
/**
 * Keeps this version of the app on the device, so that it opens without a connection. What it needs is found from the page:
 * its styles and modules, and all that these import. Calls of the platform are never kept.
 */
/** This file runs as a service worker, whose types are not those of a page. */
const worker = /** @type {any} */ (self);
const ASSETS = "{{assets}}";
const BASE = "{{base}}";
const CACHE = `letustudy ${ASSETS}`;
const PAGE = `${BASE}/`;

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(keepShell()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(removeOldShells()));
worker.addEventListener("message", (/** @type {any} */ event) => event.data === "activate" && worker.skipWaiting());
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(fromCache(event.request));
  else if (event.request.mode === "navigate" && isPage(url.pathname)) event.respondWith(fromCache(PAGE));
});

/** @param {string} path */
const isPage = (path) => `${path}/`.startsWith(`${BASE}/`) && !/^\/(web|v1|s|docs|assets)\//.test(path);

/** @param {Request | string} request */
async function fromCache(request) {
  return await caches.match(request) ?? fetch(request);
}

async function keepShell() {
  const cache = await caches.open(CACHE);
  const found = new Set([PAGE]);
  for (const address of found) {
    const response = await fetch(address, { cache: address === PAGE ? "no-cache" : "default" });
    if (!response.ok) throw new Error(`${address} answered ${response.status}`);
    await cache.put(address, response.clone());
    for (const other of needed(address, await response.text())) found.add(other);
  }
}

/**
 * What a page, a module or a style needs besides itself.
 * @param {string} address
 * @param {string} text
 */
function needed(address, text) {
  const base = new URL(address, location.origin);
  const isModule = base.pathname.endsWith(".js");
  const plain = isModule ? text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "") : text;
  const pattern = isModule ? /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*"(\.[^"]+)"/g : /(?:href|src)="(\/assets\/[^"]+)"/g;
  return [...plain.matchAll(pattern)].map(([, path]) => new URL(path, base).pathname);
}

async function removeOldShells() {
  for (const name of await caches.keys()) {
    if (name.startsWith("letustudy ") && name !== CACHE) await caches.delete(name);
  }
  await worker.clients.claim();
}
