// @ts-check
import { blockedPeople } from "../../shared/chat/blocks.js";
import { t as chat } from "../../shared/chat/strings.js";
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

export default () =>
  h(
    "div.prose.stack",
    null,
    h("a.button.quiet.back-link", { href: link("/settings") }, icon("back"), t("settings")),
    h("h1", null, chat("blockedPeople")),
    blockedPeople({ unblockMessage: t("unblockText") }),
  );
