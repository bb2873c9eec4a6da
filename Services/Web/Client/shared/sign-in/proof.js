// @ts-check
/** Some actions need a proof of the last minutes that it is the user: password, code or passkey. */
import { call, Problem } from "../api.js";
import { openDialog } from "../components/dialog.js";
import { form } from "../components/form.js";
import { text } from "../text.js";
import { askPasskey } from "./passkeys.js";
import { factorChoice } from "./second-factor.js";
import { t } from "./strings.js";

/**
 * Runs an action; if it needs a recent proof, asks for it and runs the action again.
 * @template T
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withProof(action) {
  try {
    return await action();
  } catch (error) {
    if (!Problem.is(error, "recent-sign-in-required")) throw error;
    if (!await prove()) throw error;
    return await action();
  }
}

/** Asks for a proof; returns whether it was given. */
export async function prove() {
  const factors = await call("GET /v1/auth/factors");
  /** @type {("totp" | "passkey" | "recoveryCode")[]} */
  const kinds = [];
  if (factors.totpSince) kinds.push("totp");
  if (factors.passkeys.length > 0) kinds.push("passkey");
  if (kinds.length > 0 && factors.recoveryCodesLeft > 0) kinds.push("recoveryCode");
  const isProved = await openDialog({
    title: t("confirmIdentity"),
    /** @param {(isProved?: boolean) => void} close */
    build: (close) => {
      /** @param {object} body */
      const send = async (body) => {
        await call("POST /v1/auth/proof", { body });
        close(true);
      };
      const onpasskey = async () => send({ passkey: await askPasskey(await call("POST /v1/auth/proof/passkey")) });
      if (kinds.length > 0) {
        return factorChoice({
          factors: kinds,
          product: document.title.split(" · ").at(-1) ?? "",
          oncode: send,
          onpasskey,
          oncancel: () => close(false),
        });
      }
      return form({
        fields: [{
          name: "password",
          label: text("password"),
          kind: "password",
          required: true,
          props: { autocomplete: "current-password", "data-focus": true },
        }],
        submit: text("confirm"),
        onsubmit: send,
        oncancel: () => close(false),
      });
    },
  });
  return isProved === true;
}
