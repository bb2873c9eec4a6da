// @ts-check
/** Words for the values of the API. */
import { t } from "./strings.js";

/** @import { Account, ContactMessage, CrashReport, LibraryReport, MessageReport, Order, Payout, Refund, UnmatchedPurchase } from "../../Types/api.d.ts" */
/** @import { Tone } from "./components/entry.js" */

/** @typedef {Account["roles"][number]} Role */

/** @type {Record<Role, string>} */
export const ROLES = {
  user: t("roleUser"),
  artist: t("roleArtist"),
  producer: t("roleProducer"),
  instructor: t("roleInstructor"),
  owner: t("roleOwner"),
  support: t("roleSupport"),
  administrator: t("roleAdministrator"),
  guest: t("roleGuest"),
};

/** @param {Role} role */
export const roleName = (role) => ROLES[role];

/** @type {Record<Order["status"], string>} */
export const ORDER_STATES = {
  pendingPayment: t("orderPending"),
  placed: t("orderPlaced"),
  canceled: t("orderCanceled"),
  expired: t("orderExpired"),
};

/** @type {Record<NonNullable<Order["fulfillmentStatus"]>, string>} */
export const FULFILLMENTS = {
  processing: t("processing"),
  processed: t("processed"),
  shipped: t("shipped"),
  delivered: t("delivered"),
  canceled: t("orderCanceled"),
};

/** @type {Record<Order["paymentStatus"], string>} */
export const PAYMENTS = {
  unpaid: t("unpaid"),
  paid: t("paid"),
  failed: t("paymentFailed"),
  partiallyRefunded: t("partlyRefunded"),
  refunded: t("refunded"),
};

/** @type {Record<Order["paymentStatus"], Tone>} */
export const PAYMENT_TONES = {
  unpaid: "",
  paid: "is-success",
  failed: "is-danger",
  partiallyRefunded: "is-warning",
  refunded: "is-warning",
};

/** @type {Record<Refund["status"], string>} */
export const REFUND_STATES = {
  pending: t("refundPending"),
  succeeded: t("refundDone"),
  failed: t("refundFailed"),
  replaced: t("refundReplaced"),
  reversed: t("refundReversed"),
};

/** @type {Record<Refund["status"], Tone>} */
export const REFUND_TONES = {
  pending: "is-accent",
  succeeded: "is-success",
  failed: "is-danger",
  replaced: "",
  reversed: "is-warning",
};

/** @type {Record<Payout["status"], string>} */
export const PAYOUT_STATES = { requested: t("payoutRequested"), paid: t("payoutPaid"), rejected: t("payoutRejected") };

/** @type {Record<MessageReport["state"], string>} */
export const REPORT_STATES = {
  open: t("reportOpen"),
  inReview: t("reportInReview"),
  resolved: t("reportResolved"),
  dismissed: t("reportDismissed"),
};

/** @type {Record<MessageReport["reason"] | LibraryReport["reason"], string>} */
export const REASONS = {
  spam: t("reasonSpam"),
  harassment: t("reasonHarassment"),
  hate: t("reasonHate"),
  sexual: t("reasonSexual"),
  fraud: t("reasonFraud"),
  copyright: t("reasonCopyright"),
  wrong: t("reasonWrong"),
  other: t("reasonOther"),
};

/** @type {Record<ContactMessage["state"], string>} */
export const CONTACT_STATES = { open: t("contactIsOpen"), answered: t("contactAnswered"), closed: t("contactClosed") };

/** @type {Record<CrashReport["app"], string>} */
export const APPS = {
  archived: "Archived",
  keepfit: "KeepFit",
  yesenia: "Yesenia Designs",
  roomi: "Roomi",
  letustudy: "LetuStudy",
  account: t("appAccount"),
  web: t("appWeb"),
};

/** @type {Record<UnmatchedPurchase["reason"], string>} */
export const UNMATCHED = {
  orderMissing: t("unmatchedMissing"),
  orderUnknown: t("unmatchedUnknown"),
  otherToken: t("unmatchedToken"),
  price: t("unmatchedPrice"),
  product: t("unmatchedProduct"),
  physicalGoods: t("unmatchedGoods"),
  familyShared: t("unmatchedFamily"),
};
