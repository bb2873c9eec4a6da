// @ts-check
/** What a part of a page shows instead of its content: loading, nothing, a failure. */
import { Problem, SESSION_ENDED } from "../api.js";
import { text } from "../text.js";
import { h } from "../view.js";
import { icon } from "./icon.js";

/** @import { IconName } from "./icon.js" */

/** Grey forms of the content that comes. @param {number} [rows] */
export const skeleton = (rows = 3) =>
  h(
    "div.skeleton",
    { role: "status" },
    h("span.visually-hidden", null, text("loading")),
    Array.from({ length: rows }, () => h("div.skeleton-row")),
  );

export const spinner = () => h("span.spinner", { "aria-hidden": "true" });

/**
 * Nothing is there, and what to do about it.
 * @param {{ icon: IconName, title: string, message?: string, action?: Node }} content
 */
export const empty = ({ icon: name, title, message, action }) =>
  h(
    "div.empty",
    null,
    h("div.empty-icon", null, icon(name)),
    h("p.empty-title", null, title),
    message && h("p", null, message),
    action,
  );

/**
 * Why something could not be shown.
 * @param {unknown} error
 * @param {() => void} [retry]
 */
export function failure(error, retry) {
  const isMissing = error instanceof Problem && error.status === 404;
  return h(
    "div.empty.failure",
    { role: "alert" },
    h("div.empty-icon", null, icon(isMissing ? "search" : "error")),
    h("h1.empty-title", null, isMissing ? text("notFound") : text("failed")),
    h("p", null, isMissing ? text("notFoundHint") : problemText(error)),
    retry && !isMissing && h("button.button", { type: "button", onclick: retry }, text("tryAgain")),
  );
}

/** An error in words for the user, in their language where there are some. @param {unknown} error */
export function problemText(error) {
  if (!(error instanceof Problem)) return text("unexpected");
  if (error.isOffline) return text("offline");
  if (SESSION_ENDED.includes(error.code)) return text("signInFirst");
  switch (error.code) {
    case "invalid-credentials":
      return text("wrongPassword");
    case "factor-wrong":
      return text("wrongCode");
    case "factor-ticket-invalid":
      return text("signInAgain");
    case "email-taken":
      return text("emailTaken");
    case "username-taken":
      return text("usernameTaken");
    case "password-too-common":
      return text("passwordCommon");
    case "switched-off":
      return text("switchedOff");
    case "version-mismatch":
      return text("changedMeanwhile");
    case "invalid-request":
      return text("invalid");
    case "too-many-requests":
    case "too-many-attempts":
      return text("tooMany", { count: Math.max(1, Math.ceil((error.retryAfter ?? 60) / 60)) });
    default:
      return error.status >= 500 ? text("unavailable") : (error.detail ?? error.title);
  }
}
