// @ts-check
import { regionField } from "../../shared/payment/region.js";
import { t } from "../screen-strings.js";

/** Where the buyer is, by which the tax is computed. */
export const countryField = () => ({
  ...regionField("region", undefined, { everywhere: t("countryNone") }),
  hint: t("countryHint"),
});
