// @ts-check
/** Which app this page is, and where: from the attributes that `page.html` gives `<html>`. */
const root = globalThis.document?.documentElement;

/** @type {string} */
export const app = root?.dataset.app ?? "account";

/** The path that all pages of the app begin with; empty on a host of its own. */
export const base = root?.dataset.base ?? "";

/**
 * The address of a page of another app, which may have a host of its own: `<html data-account="{{account}}">` says where.
 * @param {"account" | "admin" | "yesenia"} other
 * @param {string} path
 */
export const addressIn = (other, path) => `${root?.dataset[other]}${path}`;

/** What all calls to the platform begin with: the gateway adds the session there. */
export const gateway = `/web/${app}`;
