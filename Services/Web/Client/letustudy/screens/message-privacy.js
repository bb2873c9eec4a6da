// @ts-check
import { call } from "../../shared/api.js";
import { blockedPeople } from "../../shared/chat/blocks.js";
import { privacySettings } from "../../shared/chat/privacy.js";
import { t as chat } from "../../shared/chat/strings.js";
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @import { ConversationSettings } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ signal }) => call("GET /v1/conversations/settings", {}, { signal });

/** What others see of the user in conversations, and who may not write. @param {ConversationSettings} settings */
export default (settings) =>
  h(
    "div.stack.prose",
    null,
    h("a.button.quiet.small.back-link", { href: link("/messages") }, icon("back"), chat("messages")),
    h("h1", null, chat("privacy")),
    privacySettings(settings),
    h(
      "section.stack",
      null,
      h("h2", null, chat("blockedPeople")),
      blockedPeople({ unblockMessage: t("unblockMessage") }),
    ),
  );
