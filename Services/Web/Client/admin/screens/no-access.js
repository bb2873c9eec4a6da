// @ts-check
import { empty } from "../../shared/components/states.js";
import { actionButton } from "../../shared/components/form.js";
import { go } from "../../shared/router.js";
import { renewSession, signInNotes, signOut } from "../../shared/session.js";
import { prove } from "../../shared/sign-in/proof.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** Who is no member of the staff, or has not given a second factor. */
export default function noAccessScreen() {
  const missing = signInNotes.get()?.missingFactor;
  const confirm = async () => {
    if (!await prove()) return;
    await renewSession();
    signInNotes.set(null);
    await go("/", { replace: true });
  };
  const leave = actionButton({ label: t("signInElse"), icon: "signout", run: signOut });
  const action = missing === "prove"
    ? actionButton({ label: t("giveFactor"), icon: "key", class: "primary", run: confirm })
    : leave;
  return h(
    "div.card",
    null,
    h("h1.visually-hidden", null, t("noAccess")),
    empty({
      icon: "shield",
      title: t(missing ? "factorNeeded" : "noAccess"),
      message: t(missing === "enrol" ? "factorEnrol" : missing ? "factorProve" : "noAccessHint"),
      action,
    }),
  );
}
