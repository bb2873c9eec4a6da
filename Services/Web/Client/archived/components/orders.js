// @ts-check
import { t } from "../screen-strings.js";

/** What has become of an order, in words. @param {import("../../../Types/api.d.ts").Order} order */
export function orderState({ status, paymentStatus, payment }) {
  if (paymentStatus === "refunded") return { label: t("stateRefunded"), kind: "" };
  if (status === "placed") return { label: t("statePaid"), kind: "is-success" };
  if (status === "canceled") return { label: t("stateCanceled"), kind: "" };
  if (status === "expired") return { label: t("stateExpired"), kind: "" };
  return payment && payment.status !== "failed"
    ? { label: t("stateAtBank"), kind: "is-warning" }
    : { label: t("stateUnpaid"), kind: "is-warning" };
}
