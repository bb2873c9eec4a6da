// @ts-check
import { call } from "../../shared/api.js";
import { addressIn } from "../../shared/app.js";
import { privacySettings } from "../../shared/chat/privacy.js";
import { t as chat } from "../../shared/chat/strings.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { appearanceControls } from "../../shared/components/appearance.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { go, link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { deleteProfile, loadProfile, profile } from "../profile.js";
import { t } from "../screen-strings.js";

/** @import { ConversationSettings } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ signal }) {
  if (profile.get() === undefined) await loadProfile(signal);
  return call("GET /v1/conversations/settings", {}, { signal });
}

/** @param {ConversationSettings} given */
export default function settingsScreen(given) {
  async function leave() {
    const isSure = await confirmDialog({
      title: t("deleteProfileTitle"),
      message: t("deleteProfileText"),
      confirm: t("deleteProfile"),
      isDangerous: true,
    });
    if (!isSure) return;
    await deleteProfile();
    await go("/setup", { replace: true });
    toast(t("profileDeleted"), { kind: "success" });
  }

  return h(
    "div.prose.stack",
    null,
    h("h1", null, t("settings")),
    privacySettings(given),
    h(
      "a.card.settings-link",
      { href: link("/blocked") },
      icon("block"),
      h("span.grow", null, chat("blockedPeople")),
      icon("next"),
    ),
    h("section.card.stack", null, h("h2", null, t("appearance")), appearanceControls()),
    h(
      "section.card.stack",
      null,
      h("h2", null, t("account")),
      h("p.soft", null, t("accountHint")),
      h("p", null, h("a", { href: addressIn("account", "/") }, t("toAccount"))),
      profile.get() && [
        h("hr", null),
        h("p.soft", null, t("deleteProfileText")),
        h("div", null, actionButton({ label: t("deleteProfile"), icon: "trash", class: "dangerous", run: leave })),
      ],
    ),
  );
}
