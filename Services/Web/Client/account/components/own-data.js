// @ts-check
/** A copy of everything that the platform has of the user, and the end of the account. */
import { call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { signOut } from "../../shared/session.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { line, section } from "./section.js";

/** @import { Account } from "../../../Types/api.d.ts" */

/** @param {Account} account */
export function ownDataSection({ username, displayName }) {
  const name = username ?? displayName;

  async function download() {
    const data = await withProof(() => call("GET /v1/users/me/export"));
    const blob = new Blob([JSON.stringify(data, null, 2)], { type: "application/json" });
    const anchor = h("a", { href: URL.createObjectURL(blob), download: `quintet-${name}.json` });
    anchor.click();
    URL.revokeObjectURL(anchor.href);
  }

  const remove = () =>
    openDialog({
      title: t("deleteAccount"),
      build: (close) =>
        h(
          "div.stack",
          null,
          h("p", null, t("deleteHint")),
          form({
            fields: [{
              name: "name",
              label: t("deleteConfirm", { name }),
              required: true,
              props: { autocapitalize: "none", autocomplete: "off" },
            }],
            submit: t("deleteAccount"),
            isDangerous: true,
            oncancel: () => close(),
            onsubmit: async (values) => {
              if (values.name !== name) return close();
              await withProof(() => call("DELETE /v1/users/me"));
              close();
              await signOut();
            },
          }),
        ),
    });

  return section(
    t("ownData"),
    null,
    line({
      title: t("export"),
      detail: t("exportHint"),
      actions: actionButton({ label: t("exportNow"), icon: "download", class: "small", run: download }),
    }),
    line({
      title: t("deleteAccount"),
      detail: t("deleteShort"),
      actions: actionButton({ label: t("deleteAccount"), icon: "trash", class: "small dangerous", run: remove }),
    }),
  );
}
