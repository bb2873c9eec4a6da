// @ts-check
/** E-mail address, password, and other providers that sign in to the account. */
import { call } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { date } from "../../shared/language.js";
import { reloadUser, user } from "../../shared/session.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { line, section } from "./section.js";

/** @import { LinkedIdentity } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */
/** @import { Field } from "../../shared/components/form.js" */

/** @returns {Field} */
const currentPassword = (name = "password") => ({
  name,
  label: t("passwordCurrent"),
  kind: "password",
  required: true,
  props: { autocomplete: "current-password" },
});

/** @param {State<LinkedIdentity[]>} identities */
export const signInSection = (identities) =>
  section(
    t("signInData"),
    null,
    emailLine,
    passwordLine,
    () => identities.get().map((it) => identityLine(it, identities)),
  );

/** Asks for the code that a mail has, and says that the address is verified. */
const enterCode = () =>
  openDialog({
    title: t("verifyEmail"),
    build: (close) =>
      form({
        fields: [{
          name: "token",
          label: t("mailCode"),
          hint: t("mailCodeHint"),
          required: true,
          props: { autocomplete: "one-time-code", autocapitalize: "none", spellcheck: "false" },
        }],
        submit: text("confirm"),
        oncancel: () => close(),
        onsubmit: async (body) => {
          await call("POST /v1/auth/email/verify", { body });
          await reloadUser();
          close();
          toast(t("verified"), { kind: "success" });
        },
      }),
  });

async function changeEmail() {
  const isSent = await openDialog({
    title: t("emailChange"),
    /** @param {(isSent?: boolean) => void} close */
    build: (close) =>
      form({
        fields: [
          { name: "email", label: t("emailNew"), kind: "email", required: true, props: { autocomplete: "email" } },
          ...(user.get()?.hasPassword ? [currentPassword()] : []),
        ],
        submit: t("codeSend"),
        oncancel: () => close(),
        onsubmit: async (body) => {
          await withProof(() => call("POST /v1/auth/email/change", { body }));
          close(true);
        },
      }),
  });
  if (isSent) await enterCode();
}

async function sendAgain() {
  await call("POST /v1/auth/email/resend");
  toast(t("codeSent"), { kind: "success" });
}

const changePassword = () =>
  openDialog({
    title: t("passwordChange"),
    build: (close) =>
      form({
        fields: [
          ...(user.get()?.hasPassword ? [currentPassword("current")] : []),
          {
            name: "password",
            label: t("passwordNew"),
            kind: "password",
            required: true,
            hint: text("passwordHint"),
            props: { autocomplete: "new-password" },
          },
        ],
        submit: text("save"),
        oncancel: () => close(),
        onsubmit: async (body) => {
          await withProof(() => call("POST /v1/auth/password/change", { body }));
          await reloadUser();
          close();
          toast(t("passwordChanged"), { kind: "success" });
        },
      }),
  });

function emailLine() {
  const account = user.get();
  if (!account) return null;
  const { email, isEmailVerified } = account;
  return line({
    title: [
      t("email"),
      " ",
      email && h(
        "span.chip",
        { class: isEmailVerified ? "is-success" : "is-warning" },
        t(isEmailVerified ? "emailVerified" : "emailUnverified"),
      ),
    ],
    detail: email ?? t("none"),
    actions: [
      email && !isEmailVerified && [
        actionButton({ label: t("codeEnter"), class: "small primary", run: enterCode }),
        actionButton({ label: t("codeAgain"), class: "small", run: sendAgain }),
      ],
      actionButton({ label: t("emailChange"), class: "small", run: changeEmail }),
    ],
  });
}

const passwordLine = () =>
  user.get() && line({
    title: t("password"),
    detail: t(user.get()?.hasPassword ? "passwordIsSet" : "passwordIsNotSet"),
    actions: actionButton({ label: t("passwordChange"), class: "small", run: changePassword }),
  });

/**
 * @param {LinkedIdentity} identity
 * @param {State<LinkedIdentity[]>} identities
 */
function identityLine({ id, issuer, createdAt }, identities) {
  const name = new URL(issuer).hostname;
  const remove = async () => {
    if (!await confirmDialog({ title: t("unlinkQuestion", { name }), confirm: t("unlink"), isDangerous: true })) return;
    await withProof(() => call("DELETE /v1/auth/identities/{id}", { id }));
    identities.update((all) => all.filter((it) => it.id !== id));
  };
  return line({
    title: name,
    detail: t("totpSince", { date: date(createdAt) }),
    actions: actionButton({ label: t("unlink"), class: "small dangerous", run: remove }),
  });
}
