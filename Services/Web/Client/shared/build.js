// @ts-check
/** Which build of the client this page is: the part of the addresses of its files that changes with any of them. */

/** @param {string} text */
const buildIn = (text) => /\/assets\/([\w-]+)\//.exec(text)?.[1];

/** @type {string | undefined} */
export const build = buildIn(import.meta.url);

/** Whether the gateway serves another build by now, which lacks the files that this page has not loaded yet. */
export async function isOutdated() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-cache" }).catch(() =>
    null
  );
  return response?.ok ? buildIn(await response.text()) !== build : false;
}
