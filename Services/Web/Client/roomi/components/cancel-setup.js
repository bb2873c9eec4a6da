// @ts-check
import { call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { go } from "../../shared/router.js";
import { signOut } from "../../shared/session.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { h } from "../../shared/view.js";
import { dropDraft } from "../draft.js";
import { deleteProfile, profile } from "../profile.js";
import { p } from "../profile-strings.js";

/** Asks whether to cancel the set-up; then nothing that was entered is kept, and not even the account if the user wants. */
export async function cancelSetup() {
  const done = await openDialog({
    title: p("cancelTitle"),
    build: (close) =>
      h(
        "div.stack",
        null,
        h("p", null, p("cancelText")),
        form({
          fields: [{ name: "withAccount", label: p("cancelAccount"), hint: p("cancelAccountHint"), kind: "checkbox" }],
          submit: p("cancelConfirm"),
          isDangerous: true,
          oncancel: () => close(),
          onsubmit: async ({ withAccount }) => {
            dropDraft();
            if (withAccount) {
              // with the profile and the photos
              await withProof(() => call("DELETE /v1/users/me"));
              await signOut();
            } else if (profile.get()) await deleteProfile();
            close(withAccount ? "account" : "profile");
          },
        }),
      ),
  });
  if (done === "profile") await go("/setup", { replace: true });
  if (done) toast(p(done === "account" ? "cancelledAccount" : "cancelled"), { kind: "success" });
}
