// @ts-check
/** A plan that the user pays for: its state, what is left to pay, and for group plans the members. */
import { call } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { spinner } from "../../shared/components/states.js";
import { date, number } from "../../shared/language.js";
import { bankNotice, keepAsking } from "../../shared/payment/bank.js";
import { withLocalizedProblem } from "../../shared/problems.js";
import { link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { computed, h, state, untracked } from "../../shared/view.js";
import { followPlans } from "../components/plans/follow.js";
import { planMembers } from "../components/plans/members.js";
import { payDialog, planCards } from "../components/plans/payment.js";
import { t } from "../components/plans/strings.js";
import "../components/plans/style.js";
import { unitsField } from "../components/plans/units.js";
import { failureText, planTitle, priceText, stateChip, total } from "../components/plans/words.js";

/** @import { OrdersUpdateSubscriptionBody, Plan, Subscription } from "../../../Types/api.d.ts" */
/** @import { PaymentOption } from "../../shared/payment/cards.js" */
/** @typedef {{ plans: Plan[], cards: PaymentOption[], reload: () => Promise<void>, end: () => Promise<void>,
 *   change: (body: OrdersUpdateSubscriptionBody) => Promise<void> }} Desk what the parts of the screen work with */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { id }, signal }) {
  const [subscription, plans, cards] = await Promise.all([
    call("GET /v1/subscriptions/{id}", { id }, { signal }),
    call("GET /v1/plans", {}, { signal }),
    planCards(signal),
  ]);
  return { subscription, plans: plans.items, cards };
}

/** @param {Awaited<ReturnType<typeof load>>} loaded */
export default function subscriptionScreen({ subscription: first, plans, cards }) {
  const { id } = first;
  const subscription = state(first);
  const isGroup = computed(() => subscription.get().seats !== undefined);
  /** What has not changed stays as it is on the page. @param {Subscription} newer */
  const take = (newer) => {
    if (JSON.stringify(newer) !== JSON.stringify(subscription.get())) subscription.set(newer);
  };
  const reload = async () => take(await call("GET /v1/subscriptions/{id}", { id }));
  followPlans(reload);

  /** @type {Desk} */
  const desk = {
    plans,
    cards,
    reload,
    change: async (body) => take(await withLocalizedProblem(call("PATCH /v1/subscriptions/{id}", { id, body }), t)),
    end: async () => take(await withLocalizedProblem(call("DELETE /v1/subscriptions/{id}", { id }), t)),
  };
  return h(
    "div.stack.prose",
    null,
    h("a.button.quiet.small.back-link", { href: link("/plans") }, icon("back"), t("plans")),
    h(
      "header.spread",
      null,
      h("h1", null, () => planTitle(plans, subscription.get().plan)),
      () => stateChip(subscription.get()),
    ),
    h("div.stack", { "aria-live": "polite" }, () => notice(subscription.get(), desk)),
    () => facts(subscription.get(), desk),
    () => isGroup.get() && untracked(() => planMembers(id, subscription, reload)),
  );
}

/**
 * What the user has to know or to do now.
 * @param {Subscription} subscription
 * @param {Desk} desk
 */
function notice(subscription, { plans, reload, change }) {
  const { status, clientSecret, failure, graceUntil, until, renews, nextPlan, nextQuantity, quantity } = subscription;
  const plan = plans.find((it) => it.name === subscription.plan);
  if (status === "pending") {
    keepAsking(reload);
    return h("p.notice.row", null, spinner(), t("pending"));
  }
  const notices = [];
  if (failure) notices.push(h("p.form-failure", null, icon("error"), failureText(failure)));
  if (graceUntil) notices.push(h("p.notice", null, t("graceUntil", { date: date(graceUntil) })));
  if (clientSecret && !failure) {
    keepAsking(reload);
    const amount = status === "incomplete" && plan ? total(plan, quantity) : undefined;
    notices.push(h("section.card.stack.pay-panel", null, bankNotice({ amount, refresh: reload })));
  }
  if (status === "active" && !renews) {
    notices.push(h("p.notice", null, t("canceledNotice", { date: date(until) })));
  }
  if (nextPlan || nextQuantity) {
    const next = `${number(nextQuantity ?? quantity)} × ${planTitle(plans, nextPlan ?? subscription.plan)}`;
    notices.push(
      h(
        "div.notice.spread",
        null,
        h("p", null, t("nextNotice", { date: date(until), plan: next })),
        actionButton({ label: t("keepPlan"), run: () => change({ plan: subscription.plan, quantity }) }),
      ),
    );
  }
  return notices;
}

/**
 * @param {Subscription} subscription
 * @param {Desk} desk
 */
function facts(subscription, desk) {
  const { status, until, renews, seats, quantity } = subscription;
  const plan = desk.plans.find((it) => it.name === subscription.plan);
  const isPaid = status === "active" || status === "pastDue";
  /** @type {[string, string][]} */
  const rows = [
    ...(plan ? [/** @type {[string, string]} */ ([t("price"), priceText(total(plan, quantity), plan.months)])] : []),
    ...(isPaid ? [/** @type {[string, string]} */ ([t(renews ? "renewsOn" : "paidUntil"), date(until)])] : []),
    ...(seats ? [/** @type {[string, string]} */ ([t("seats"), number(seats.total)])] : []),
  ];
  return h(
    "section.card.stack",
    null,
    rows.length > 0 &&
      h(
        "dl.facts-grid.plan-facts",
        null,
        rows.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))),
      ),
    actions(subscription, desk),
  );
}

/**
 * What may be done in the state that the plan is in.
 * @param {Subscription} subscription
 * @param {Desk} desk
 */
function actions(subscription, desk) {
  const { status, provider, renews, until } = subscription;
  const { change, end } = desk;
  if (status === "ended" || status === "failed") {
    return h("p", null, h("a.button.primary", { href: link("/plans") }, t("plans")));
  }
  if (provider !== "stripe") return h("p.soft", null, t("manageAtApple"));
  const isPaid = status === "active" || status === "pastDue";
  const cancel = async () => {
    const isSure = await confirmDialog({
      title: t(isPaid ? "cancelPlan" : "endNow"),
      message: status === "active" ? t("cancelMessage", { date: date(until) }) : t("endNowMessage"),
      confirm: t(isPaid ? "cancelPlan" : "endNow"),
      isDangerous: true,
    });
    if (isSure) await end();
  };
  return h(
    "div.row",
    null,
    status === "active" &&
      h("button.button", { type: "button", onclick: () => changeDialog(subscription, desk) }, t("change")),
    isPaid && h("button.button", { type: "button", onclick: () => cardDialog(desk) }, icon("card"), t("card")),
    status === "active" && !renews
      ? actionButton({ label: t("renew"), icon: "refresh", class: "primary", run: () => change({ renews: true }) })
      : actionButton({ label: t(isPaid ? "cancelPlan" : "endNow"), class: "quiet dangerous", run: cancel }),
  );
}

/** @param {Desk} desk */
const cardDialog = ({ cards, change }) =>
  payDialog({
    title: t("card"),
    hint: t("cardHint"),
    cards,
    submit: text("save"),
    onsubmit: ({ payment }) => change({ payment }),
  });

/**
 * @param {Subscription} subscription
 * @param {Desk} desk
 */
const changeDialog = (subscription, { plans, change }) =>
  openDialog({
    title: t("change"),
    build: (close) =>
      h(
        "div.stack",
        null,
        h("p.soft", null, t("changeHint")),
        form({
          fields: [
            {
              name: "plan",
              label: t("plan"),
              kind: "select",
              value: subscription.plan,
              options: plans.map((it) => ({ value: it.name, label: `${it.title}, ${priceText(it.price, it.months)}` })),
            },
            ...(plans.some((it) => it.seats) ? [unitsField(subscription.quantity)] : []),
          ],
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async (values) => {
            await change(values);
            close();
          },
        }),
      ),
  });
