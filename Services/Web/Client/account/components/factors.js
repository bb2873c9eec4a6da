// @ts-check
/** Second factors: authenticator app, passkeys, recovery codes (docs/second-factors.md). */
import { call } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { date, relative } from "../../shared/language.js";
import { addPasskey } from "../../shared/sign-in/add-passkey.js";
import { hasPasskeys } from "../../shared/sign-in/passkeys.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { showCodes } from "../../shared/sign-in/recovery-codes.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { line, section } from "./section.js";

/** @import { Passkey, SecondFactors } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @param {State<SecondFactors>} factors */
export function factorSections(factors) {
  const reload = async () => factors.set(await call("GET /v1/auth/factors"));
  const add = async () => {
    await addPasskey();
    await reload();
  };
  return [
    section(
      t("totpSection"),
      t("securityIntro"),
      () => totpLine(factors.get(), reload),
      () => codesLine(factors.get(), reload),
    ),
    section(
      t("passkeysSection"),
      t("passkeysIntro"),
      () => factors.get().passkeys.map((it) => passkeyLine(it, reload)),
      hasPasskeys && h(
        "div.row",
        null,
        actionButton({ label: t("passkeyAdd"), icon: "key", class: "soft-accent", run: add }),
      ),
    ),
  ];
}

/**
 * @param {SecondFactors} factors
 * @param {() => Promise<void>} reload
 */
function totpLine({ totpSince }, reload) {
  async function add() {
    const enrolment = await withProof(() => call("POST /v1/auth/factors/totp"));
    const codes = await openDialog({
      title: t("totp"),
      /** @param {(codes?: string[]) => void} close */
      build: (close) =>
        h(
          "div.stack",
          null,
          h("p", null, t("secretHint")),
          h("p", null, h("span.label", null, t("secret")), " ", h("code.secret", null, enrolment.secret)),
          h("p", null, h("a", { href: enrolment.uri }, t("secretOpen"))),
          form({
            fields: [{
              name: "code",
              label: t("code"),
              required: true,
              props: { inputmode: "numeric", maxlength: 6, autocomplete: "one-time-code" },
            }],
            submit: text("confirm"),
            oncancel: () => close(),
            onsubmit: async (body) =>
              close((await call("POST /v1/auth/factors/totp/confirm", { body })).recoveryCodes ?? []),
          }),
        ),
    });
    await reload();
    if (codes?.length) await showCodes(codes);
  }

  async function remove() {
    const question = { title: t("totpRemoveQuestion"), confirm: t("totpRemove"), isDangerous: true };
    if (!await confirmDialog(question)) return;
    await withProof(() => call("DELETE /v1/auth/factors/totp"));
    await reload();
    toast(t("totpRemoved"), { kind: "success" });
  }

  return line({
    title: t("totp"),
    detail: totpSince ? t("totpSince", { date: date(totpSince) }) : t("totpOff"),
    actions: totpSince
      ? actionButton({ label: t("totpRemove"), icon: "trash", class: "dangerous", run: remove })
      : actionButton({ label: t("totpAdd"), icon: "add", class: "primary", run: add }),
  });
}

/**
 * @param {SecondFactors} factors
 * @param {() => Promise<void>} reload
 */
function codesLine({ totpSince, passkeys, recoveryCodesLeft }, reload) {
  if (!totpSince && passkeys.length === 0) return null;
  const renew = async () => {
    if (!await confirmDialog({ title: t("codesQuestion"), message: t("codesQuestionHint"), confirm: t("codesNew") })) {
      return;
    }
    const { codes } = await withProof(() => call("POST /v1/auth/factors/recovery-codes"));
    await showCodes(codes);
    await reload();
  };
  return line({
    title: t("codes"),
    detail: t("codesLeft", { count: recoveryCodesLeft }),
    actions: actionButton({ label: t("codesNew"), icon: "refresh", run: renew }),
  });
}

/**
 * @param {Passkey} passkey
 * @param {() => Promise<void>} reload
 */
function passkeyLine({ id, name, createdAt, lastUsedAt, isDistrusted }, reload) {
  const rename = () =>
    openDialog({
      title: t("passkeyRename"),
      build: (close) =>
        form({
          fields: [{ name: "name", label: t("passkeyName"), value: name, required: true, props: { maxlength: 60 } }],
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async (body) => {
            await call("PATCH /v1/auth/passkeys/{id}", { id, body });
            await reload();
            close();
          },
        }),
    });

  async function remove() {
    const question = { title: t("passkeyRemoveQuestion", { name }), confirm: t("totpRemove"), isDangerous: true };
    if (!await confirmDialog(question)) return;
    await withProof(() => call("DELETE /v1/auth/passkeys/{id}", { id }));
    await reload();
  }

  return line({
    title: [name, isDistrusted && h("span.chip.is-danger", null, t("passkeyDistrusted"))],
    detail: [
      t("totpSince", { date: date(createdAt) }),
      lastUsedAt && ` · ${t("lastUsed", { when: relative(lastUsedAt) })}`,
    ],
    actions: [
      actionButton({
        label: t("rename"),
        class: "small",
        run: rename,
        props: { "aria-label": `${t("rename")}: ${name}` },
      }),
      actionButton({
        label: t("totpRemove"),
        class: "small dangerous",
        run: remove,
        props: { "aria-label": `${t("totpRemove")}: ${name}` },
      }),
    ],
  });
}
