// @ts-check
/** The second step of a sign-in: a code of the authenticator app, a recovery code, or a passkey. */
import { call, Problem } from "../api.js";
import { actionButton, form } from "../components/form.js";
import { toast } from "../components/toast.js";
import { text } from "../text.js";
import { h, state } from "../view.js";
import { askPasskey } from "./passkeys.js";
import { t } from "./strings.js";

/** @import { FactorTicket } from "../../../Types/api.d.ts" */
/** @typedef {"totp" | "recoveryCode" | "passkey"} Factor */

/** @param {Factor} factor */
const nameOf = (factor) =>
  t(/** @type {const} */ ({ totp: "authenticator", recoveryCode: "recoveryCode", passkey: "passkey" })[factor]);

/**
 * @param {{ factors: readonly Factor[], product: string, oncode: (code: { totp?: string, recoveryCode?: string }) => Promise<void>,
 *   onpasskey: () => Promise<void>, oncancel: () => void }} options
 */
export function factorChoice({ factors, product, oncode, onpasskey, oncancel }) {
  const chosen = state(factors[0]);
  const codeForm = (/** @type {"totp" | "recoveryCode"} */ name) =>
    form({
      fields: [{
        name,
        label: t(name === "totp" ? "authenticatorCode" : "recoveryCode"),
        required: true,
        hint: t(name === "totp" ? "authenticatorHint" : "recoveryHint", { product }),
        props: {
          autocomplete: "one-time-code",
          "data-focus": true,
          autocapitalize: "none",
          spellcheck: "false",
          ...(name === "totp" && { inputmode: "numeric", maxlength: 6 }),
        },
      }],
      submit: text("confirm"),
      onsubmit: oncode,
      oncancel,
    });
  const passkeyForm = () =>
    h(
      "div.stack",
      null,
      h("p", null, t("passkeyHint")),
      actionButton({ label: t("passkey"), icon: "key", class: "primary", run: onpasskey }),
    );
  const others = () => factors.filter((it) => it !== chosen.get());
  return h(
    "div.stack",
    null,
    () => {
      const factor = chosen.get();
      return factor === "passkey" ? passkeyForm() : codeForm(factor);
    },
    h(
      "p.form-footer",
      null,
      () => others().map((it) => h("button.link", { type: "button", onclick: () => chosen.set(it) }, nameOf(it))),
    ),
  );
}

/**
 * @param {{ ticket: FactorTicket, product: string, onsuccess: (grant: any) => unknown, oncancel: () => void }} options
 */
export function secondFactorForm({ ticket, product, onsuccess, oncancel }) {
  /** @param {object} proof */
  const complete = async (proof) => {
    try {
      await onsuccess(await call("POST /v1/auth/login/factor", { body: { ticket: ticket.ticket, ...proof } }));
    } catch (error) {
      if (!Problem.is(error, "factor-ticket-invalid")) throw error;
      toast(text("signInAgain"), { kind: "error" });
      oncancel();
    }
  };
  const onpasskey = async () => {
    const options = await call("POST /v1/auth/login/passkey/options", { body: { ticket: ticket.ticket } });
    await complete({ passkey: await askPasskey(options) });
  };
  return factorChoice({ factors: ticket.factors, product, oncode: complete, onpasskey, oncancel });
}
