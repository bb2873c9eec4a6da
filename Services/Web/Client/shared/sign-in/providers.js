// @ts-check
/**
 * Signing in at a provider such as Google (OpenID Connect Core 1.0 §3.2). The browser goes there, and comes back to
 * `/sign-in` with an ID token behind the `#`, which no server and no log sees. The token signs in once, and only together
 * with the nonce that this tab has kept: the provider, and whoever sees the token, know its hash only.
 */
import { call, Problem } from "../api.js";
import { app } from "../app.js";
import { form } from "../components/form.js";
import { link } from "../router.js";
import { text } from "../text.js";
import { h, state } from "../view.js";
import { t } from "./strings.js";

/** @import { SignInProvider } from "../../../Types/api.d.ts" */
/** @typedef {{ provider: string, next: string, state: string, nonce: string }} Attempt what a tab keeps while its user is away */
/** @typedef {{ next: string, token?: { provider: string, idToken: string, nonce: string }, problem?: Problem }} Return */

const KEY = "quintet.provider";

/** @param {string} name such as `google` */
const titleOf = (name) => name[0].toUpperCase() + name.slice(1);

/** A button for each provider of the app, as soon as they are known. @param {string} next where to go afterwards */
export function providerButtons(next) {
  const known = state(/** @type {SignInProvider[]} */ ([]));
  // without them, there are the other ways to sign in
  call("GET /v1/auth/providers", {}, { isPublic: true }).then(
    ({ items }) => known.set(items.filter((it) => it.app === app)),
    () => {},
  );
  return h("div.stack", { hidden: () => known.get().length === 0 }, () =>
    known.get().map((it) =>
      h(
        "button.button.wide",
        { type: "button", onclick: () => visit(it, next) },
        t("providerSignIn", { provider: titleOf(it.name) }),
      )
    ));
}

/** @param {SignInProvider} provider @param {string} next */
async function visit({ name, clientID, authorizationURL }, next) {
  /** @type {Attempt} */
  const attempt = { provider: name, next, state: crypto.randomUUID(), nonce: crypto.randomUUID() };
  sessionStorage.setItem(KEY, JSON.stringify(attempt));
  const url = new URL(authorizationURL);
  const parameters = {
    client_id: clientID,
    redirect_uri: location.origin + link("/sign-in"),
    response_type: "id_token",
    response_mode: "fragment",
    scope: "openid email profile",
    state: attempt.state,
    nonce: await sha256(attempt.nonce),
    // whoever is signed in there may be someone else on a shared device
    prompt: "select_account",
  };
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
  location.assign(url);
}

/** @param {string} it @returns {Promise<string>} in hexadecimal digits */
async function sha256(it) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(it));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * What a provider has sent the browser back with, which is then neither in the address nor kept; `null` when the page was
 * opened otherwise.
 * @returns {Return | null}
 */
export function takeReturn() {
  const answer = new URLSearchParams(location.hash.slice(1));
  if (!answer.has("state") && !answer.has("id_token")) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  /** @type {Attempt | null} */
  const attempt = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  sessionStorage.removeItem(KEY);
  // another site may have made up the address, to have its own user signed in
  if (!attempt || answer.get("state") !== attempt.state) return { next: "/", problem: failed() };
  const { provider, next, nonce } = attempt;
  const idToken = answer.get("id_token");
  return idToken ? { next, token: { provider, idToken, nonce } } : { next, problem: failed() };
}

/** The user has canceled it, or the provider has refused. */
const failed = () => new Problem({ status: 0, code: "provider-failed", title: t("providerFailed") });

/** @param {Return["token"] & {}} token @param {string} [password] of the account that has the same address */
export const grantBy = ({ provider, ...token }, password) =>
  call("POST /v1/auth/oidc/{provider}", { provider, body: { ...token, password } });

/**
 * Asks for the password of the account that has the same address, to link it.
 * @param {{ provider: string, onsubmit: (password: string) => Promise<void>, oncancel: () => void }} options
 */
export const linkForm = ({ provider, onsubmit, oncancel }) =>
  h(
    "div.stack",
    null,
    h("p", null, t("linkHint", { provider: titleOf(provider) })),
    form({
      fields: [{
        name: "password",
        label: text("password"),
        kind: "password",
        required: true,
        props: { autocomplete: "current-password", "data-focus": true },
      }],
      submit: text("signIn"),
      onsubmit: ({ password }) => onsubmit(password),
      oncancel,
    }),
  );
