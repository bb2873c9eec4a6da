// @ts-check
import { call } from "../api.js";
import { toast } from "../components/toast.js";
import { makePasskey } from "./passkeys.js";
import { withProof } from "./proof.js";
import { showCodes } from "./recovery-codes.js";
import { t } from "./strings.js";

/** Adds a passkey of this device to the account, and shows the recovery codes that come with the first factor. */
export async function addPasskey() {
  const options = await withProof(() => call("POST /v1/auth/passkeys/options"));
  const credential = await makePasskey(options);
  const name = navigator.platform || t("passkey");
  const { recoveryCodes } = await call("POST /v1/auth/passkeys", { body: { name, credential } });
  toast(t("passkeyAdded"), { kind: "success" });
  if (recoveryCodes?.length) await showCodes(recoveryCodes);
}
