// @ts-check
/** Passkeys (WebAuthn level 3), in the JSON that the platform uses. */
import { call, Problem } from "../api.js";
import { actionButton } from "../components/form.js";
import { t } from "./strings.js";

/** @import { PasskeyAssertion, PasskeyCreationOptions, PasskeyRequestOptions, AuthAddPasskeyBody } from "../../../Types/api.d.ts" */

/** Browsers offer passkeys on `localhost` and on domains with HTTPS. */
export const hasPasskeys = "PublicKeyCredential" in globalThis && "parseRequestOptionsFromJSON" in PublicKeyCredential;

/**
 * Asks the device for one of the user's passkeys.
 * @param {PasskeyRequestOptions} options
 * @returns {Promise<PasskeyAssertion>}
 */
export async function askPasskey(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(/** @type {any} */ (options));
  return toJSON(await navigator.credentials.get({ publicKey }).catch(canceled));
}

/**
 * Makes a passkey on the device.
 * @param {PasskeyCreationOptions} options
 * @returns {Promise<AuthAddPasskeyBody["credential"]>}
 */
export async function makePasskey(options) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(/** @type {any} */ (options));
  return toJSON(await navigator.credentials.create({ publicKey }).catch(canceled));
}

/** @param {any} credential */
const toJSON = (credential) => credential ? credential.toJSON() : canceled();

/** @returns {never} */
function canceled() {
  throw new Problem({ status: 0, code: "passkey-canceled", title: t("passkeyCanceled") });
}

/** @param {(grant: any) => unknown} onsuccess */
export function passkeyButton(onsuccess) {
  if (!hasPasskeys) return null;
  return actionButton({
    label: t("passkeySignIn"),
    icon: "key",
    class: "wide",
    run: async () => {
      const options = await call("POST /v1/auth/login/passkey/options", { body: {} });
      const credential = await askPasskey(options);
      await onsuccess(await call("POST /v1/auth/login/passkey", { body: { credential } }));
    },
  });
}
