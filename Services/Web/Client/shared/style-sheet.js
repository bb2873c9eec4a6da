// @ts-check
/**
 * Styles that the first page does not need, loaded by the modules that do:
 *
 *   await styleSheet(new URL("./chat.css", import.meta.url));
 *
 * Without them, the screen is plain, but there.
 * @param {URL} address
 * @returns {Promise<void>}
 */
export const styleSheet = ({ href }) =>
  new Promise((resolve) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href, onload: () => resolve(), onerror: () => resolve() });
    document.head.append(link);
  });
