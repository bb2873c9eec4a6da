// @ts-check
/** Which app this page is, and where: from `<html data-app="archived" data-base="{{base}}">`. */
const root = globalThis.document?.documentElement;

/** @type {string} */
export const app = root?.dataset.app ?? "account";

/** The path that all pages of the app begin with; empty on a host of its own. */
export const base = root?.dataset.base ?? "";

/** What all calls to the platform begin with: the gateway adds the session there. */
export const gateway = `/web/${app}`;

/**
 * The address of a file of the client beside a module: `asset(import.meta.url, "icon.svg")`.
 * @param {string} moduleURL
 * @param {string} relative
 */
export const asset = (moduleURL, relative) => new URL(relative, moduleURL).href;
