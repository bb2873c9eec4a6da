// @ts-check
/** Whether the user lets KeepFit keep weight, height and birthday, without which there are no calories. */
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @import { Consents } from "../../../Types/api.d.ts" */

/** @param {Consents} consents */
export const hasHealthConsent = ({ current }) => current.some((it) => it.purpose === "healthData" && it.isGiven);

export const healthConsentNotice = () =>
  h(
    "div.notice.row",
    null,
    icon("info"),
    h("p.grow", null, t("healthConsentNeeded")),
    h("a.button", { href: link("/settings") }, t("settings")),
  );
