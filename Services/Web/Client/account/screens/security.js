// @ts-check
import { call } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { date } from "../../shared/language.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { SecondFactors } from "../../../Types/api.d.ts" */

export const load = () => call("GET /v1/auth/factors");

/**
 * The second factors of the account.
 * @param {SecondFactors} loaded
 */
export default function securityScreen(loaded) {
  const factors = state(loaded);
  const reload = async () => factors.set(await load());

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
          h("p", null, h("span.label", null, t("secret")), " ", h("code", null, enrolment.secret)),
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

  const totp = () => {
    const since = factors.get().totpSince;
    return h(
      "div.spread",
      null,
      h(
        "div",
        null,
        h("h2", null, t("totp")),
        h("p.soft", null, since ? t("totpSince", { date: date(since) }) : t("totpOff")),
      ),
      since
        ? actionButton({ label: t("totpRemove"), icon: "trash", class: "dangerous", run: remove })
        : actionButton({ label: t("totpAdd"), icon: "add", class: "primary", run: add }),
    );
  };
  return h(
    "div.stack.prose",
    null,
    h("div", null, h("h1", null, t("security")), h("p.soft", null, t("securityIntro"))),
    h(
      "section.card.stack",
      null,
      totp,
      h("p.row.soft", null, icon("key"), () => t("passkeys", { count: factors.get().passkeys.length })),
    ),
  );
}

/** @param {string[]} codes */
function showCodes(codes) {
  return openDialog({
    title: t("newCodes"),
    build: (close) =>
      h(
        "div.stack",
        null,
        h("p", null, t("newCodesHint")),
        h("ul", null, codes.map((it) => h("li", null, h("code", null, it)))),
        h(
          "div.form-actions",
          null,
          h("button.button.primary", { type: "button", onclick: () => close() }, text("close")),
        ),
      ),
  });
}
