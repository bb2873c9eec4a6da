// @ts-check
import { actionButton } from "../components/form.js";
import { announce } from "../components/toast.js";
import { h } from "../view.js";
import { addPasskey } from "./add-passkey.js";
import { hasPasskeys } from "./passkeys.js";
import { t } from "./strings.js";

/** Offers a passkey to someone new, above the screen that they see first, and until they leave it. */
export function offerPasskey() {
  if (!hasPasskeys) return;
  const add = async () => {
    await addPasskey();
    offer.remove();
  };
  const offer = h(
    "section.notice.spread",
    { "aria-label": t("passkey") },
    h("p", null, t("passkeyOffer")),
    h(
      "div.row",
      null,
      actionButton({ label: t("passkeyCreate"), icon: "key", class: "primary", run: add }),
      h("button.button.quiet", { type: "button", onclick: () => offer.remove() }, t("notNow")),
    ),
  );
  document.querySelector("main")?.prepend(offer);
  announce(t("passkeyOffer"));
}
