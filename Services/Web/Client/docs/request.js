// @ts-check
/** Makes requests of what readers enter. */

/** @typedef {{ name: string, in: string, value: string | File, type?: string | undefined }} Value */

/**
 * The target and the options of `fetch`. Empty values are left out.
 * @param {string} method
 * @param {string} path With parameters in braces.
 * @param {Value[]} values
 * @param {string} token
 */
export function buildRequest(method, path, values, token) {
  const headers = new Headers();
  const query = new URLSearchParams();
  /** @type {string | File | undefined} */
  let body;
  let target = path;
  if (token !== "") headers.set("Authorization", `Bearer ${token}`);
  for (const { name, in: location, value, type } of values) {
    if (value === "") continue;
    const text = String(value);
    if (location === "path") target = target.replace(`{${name}}`, encodeURIComponent(text));
    else if (location === "query") query.append(name, text);
    else if (location === "header") headers.set(name, text);
    else {
      body = value;
      headers.set("Content-Type", type === undefined || type === "*/*" ? "application/octet-stream" : type);
    }
  }
  if (query.size > 0) target += `?${query}`;
  /** @type {RequestInit} */
  const init = { method, headers, credentials: "omit", redirect: "manual", cache: "no-store" };
  if (body !== undefined) init.body = body;
  return { target, init };
}
