// @ts-check
import { money } from "../language.js";
import { t } from "./strings.js";

/** A message in a line, for lists and screen readers. @param {import("../../../Types/api.d.ts").Message} message */
export function messageWords({ isDeleted, offer, text }) {
  if (isDeleted) return t("messageDeleted");
  return offer ? t("offerOf", { price: money(offer.amount) }) : text ?? t("photo");
}
