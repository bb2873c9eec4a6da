// @ts-check
/** Plans and subscriptions in words. */
import { date, money } from "../../../shared/language.js";
import { h } from "../../../shared/view.js";
import { t } from "./strings.js";

/** @import { Money, Plan, Subscription } from "../../../../Types/api.d.ts" */

/** The name of a plan, also of one that is no longer offered. @param {Plan[]} plans @param {string} name */
export const planTitle = (plans, name) => plans.find((it) => it.name === name)?.title ?? name;

/** @param {Money} price @param {number} months that it pays for */
export function priceText(price, months) {
  const amount = money(price);
  return months === 1
    ? t("perMonth", { amount })
    : months === 12
    ? t("perYear", { amount })
    : t("perMonths", { amount, count: months });
}

/** What a number of units costs. @param {Plan} plan @param {number} quantity @returns {Money} */
export const total = ({ price }, quantity) => ({ ...price, amount: price.amount * quantity });

/** @type {Record<string, string>} */
const FEATURES = { "study.fitting": t("feature-fitting"), "study.history": t("feature-history") };

/** @param {string} name */
export const featureText = (name) => FEATURES[name] ?? name;

/** @type {Record<Subscription["status"], "" | "is-accent" | "is-success" | "is-warning" | "is-danger">} */
const TONES = {
  pending: "is-accent",
  incomplete: "is-accent",
  active: "is-success",
  pastDue: "is-warning",
  ended: "",
  failed: "is-danger",
};

/** @param {Subscription} subscription */
export const stateChip = ({ status, isActive }) =>
  status === "active" && !isActive
    ? h("span.chip.is-danger", null, t("locked"))
    : h("span.chip", { class: TONES[status] }, t(`state-${status}`));

/** Whether it is paid for, or will be. @param {Subscription} subscription */
export const isLiving = ({ status }) => status !== "ended" && status !== "failed";

/** Why a payment has failed. @param {string} failure the provider's code */
export const failureText = (failure) =>
  failure === "canceled" || failure === "disputed" || failure === "expired"
    ? t(`failure-${failure}`)
    : t("failure-other");

/** Until when it is paid, and what happens then. @param {Subscription} subscription */
export const untilText = ({ renews, until }) => `${renews ? t("renewsOn") : t("paidUntil")} ${date(until)}`;
