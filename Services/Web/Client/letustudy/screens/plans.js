// @ts-check
/** The plans: what they cost, those of the user, and those that others pay for. */
import { call } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { empty } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { date } from "../../shared/language.js";
import { withLocalizedProblem } from "../../shared/problems.js";
import { go, link } from "../../shared/router.js";
import { hasRole, user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { followPlans } from "../components/plans/follow.js";
import { payDialog, planCards } from "../components/plans/payment.js";
import { t } from "../components/plans/strings.js";
import "../components/plans/style.js";
import { unitsField } from "../components/plans/units.js";
import { featureText, isLiving, planTitle, priceText, stateChip, untilText } from "../components/plans/words.js";

/** @import { Plan, PlanInvitation, PlanMembership, Subscription } from "../../../Types/api.d.ts" */
/** @import { PaymentOption } from "../../shared/payment/cards.js" */
/** @typedef {{ plans: Plan[], subscriptions: Subscription[], memberships: PlanMembership[], invitations: PlanInvitation[],
 *   cards: PaymentOption[] }} PlansData */

/** @param {AbortSignal} [signal] @returns {Promise<PlansData>} */
async function loadPlans(signal) {
  const [plans, subscriptions, memberships, invitations, cards] = await Promise.all([
    call("GET /v1/plans", {}, { signal }),
    call("GET /v1/subscriptions", {}, { signal }),
    call("GET /v1/plan-memberships", {}, { signal }),
    call("GET /v1/plan-invitations", { limit: 100 }, { signal }),
    planCards(signal),
  ]);
  return {
    plans: plans.items,
    subscriptions: subscriptions.items,
    memberships: memberships.items,
    invitations: invitations.items,
    cards,
  };
}

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ signal }) => hasRole("guest") ? null : loadPlans(signal);

/** @param {PlansData | null} loaded */
export default function plansScreen(loaded) {
  if (!loaded) {
    return h(
      "div.stack",
      null,
      h("h1", null, t("plans")),
      empty({
        icon: "star",
        title: t("needsAccount"),
        action: h("a.button.primary", { href: link("/sign-up") }, text("createAccount")),
      }),
    );
  }
  const data = state(loaded);
  const reload = async () => data.set(await loadPlans());
  followPlans(reload);

  /**
   * @param {string} code of an e-mail, or the id of an invitation for the user
   * @param {() => void} [close] the dialog
   */
  async function accept(code, close) {
    const { plan } = await withLocalizedProblem(call("POST /v1/plan-invitations/{code}/accept", { code }), t);
    close?.();
    await reload();
    toast(t("joined", { plan: planTitle(data.get().plans, plan) }), { kind: "success" });
  }

  const enterCode = () =>
    openDialog({
      title: t("enterCode"),
      build: (close) =>
        form({
          fields: [{
            name: "code",
            label: t("code"),
            hint: t("codeHint"),
            required: true,
            props: { maxlength: 100, autocapitalize: "none", autocomplete: "off", spellcheck: "false" },
          }],
          submit: t("accept"),
          oncancel: () => close(),
          onsubmit: ({ code }) => accept(code, close),
        }),
    });

  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h("div", null, h("h1", null, t("plans")), h("p.soft", null, t("plansHint"))),
      h("button.button", { type: "button", onclick: enterCode }, icon("key"), t("enterCode")),
    ),
    () => invitationRows(data.get(), accept),
    () => ownRows(data.get(), reload),
    () => offers(data.get()),
  );
}

/**
 * @param {PlansData} data
 * @param {(code: string) => Promise<void>} accept
 */
const invitationRows = ({ plans, invitations }, accept) =>
  invitations.length > 0 && h(
    "section.stack",
    null,
    h("h2", null, t("invitations")),
    h(
      "ul.rows",
      { role: "list" },
      invitations.map(({ id, plan, expiresAt }) =>
        h(
          "li",
          null,
          h(
            "div",
            null,
            icon("mail"),
            h(
              "span.grow",
              null,
              t("invitedTo", { plan: planTitle(plans, plan) }),
              h("span.soft.small-text.plan-note", null, t("expiresOn", { date: date(expiresAt) })),
            ),
            actionButton({ label: t("accept"), class: "primary", run: () => accept(id) }),
          ),
        )
      ),
    ),
  );

/**
 * What the user has: paid by themselves, and by others.
 * @param {PlansData} data
 * @param {() => Promise<unknown>} reload
 */
function ownRows({ plans, subscriptions, memberships }, reload) {
  if (subscriptions.length + memberships.length === 0) return null;
  return h(
    "section.stack",
    null,
    h("h2", null, t("myPlans")),
    h(
      "ul.rows",
      { role: "list", "aria-label": t("myPlans") },
      subscriptions.map((it) =>
        h(
          "li",
          null,
          h(
            "a",
            { href: link(`/plans/${it.id}`) },
            h(
              "span.grow",
              null,
              h("strong", null, planTitle(plans, it.plan)),
              it.isActive && h("span.soft.small-text.plan-note", null, untilText(it)),
            ),
            stateChip(it),
          ),
        )
      ),
      memberships.map((it) => membershipRow(it, planTitle(plans, it.plan), reload)),
    ),
  );
}

/**
 * @param {PlanMembership} membership
 * @param {string} title
 * @param {() => Promise<unknown>} reload
 */
function membershipRow({ subscriptionID, isActive }, title, reload) {
  const leave = async () => {
    const isSure = await confirmDialog({
      title: t("leavePlan", { plan: title }),
      message: t("leaveMessage"),
      confirm: t("leave"),
      isDangerous: true,
    });
    if (!isSure) return;
    const userID = user.get()?.id ?? "";
    await call("DELETE /v1/subscriptions/{id}/members/{userID}", { id: subscriptionID, userID });
    await reload();
  };
  return h(
    "li",
    null,
    h(
      "div",
      null,
      h(
        "span.grow",
        null,
        h("strong", null, title),
        h("span.soft.small-text.plan-note", null, t("memberOf")),
      ),
      h("span.chip", { class: isActive ? "is-success" : "is-danger" }, isActive ? t("state-active") : t("locked")),
      actionButton({
        label: t("leave"),
        class: "quiet",
        run: leave,
        props: { "aria-label": `${t("leave")}: ${title}` },
      }),
    ),
  );
}

/** @param {PlansData} data */
const offers = ({ plans, subscriptions, cards }) =>
  plans.length === 0 ? empty({ icon: "star", title: t("noPlans") }) : h(
    "ul.cards",
    { role: "list", "aria-label": t("plans") },
    plans.map((plan) =>
      h("li", null, offer(plan, subscriptions.find((it) => it.plan === plan.name && isLiving(it)), cards))
    ),
  );

/**
 * @param {Plan} plan
 * @param {Subscription | undefined} subscription
 * @param {PaymentOption[]} cards
 */
function offer(plan, subscription, cards) {
  const { name, title, price, months, features, seats } = plan;
  const subscribe = () =>
    payDialog({
      title: t("subscribeTo", { plan: title }),
      hint: priceText(price, months),
      cards,
      fields: seats ? [unitsField(1)] : [],
      submit: t("subscribe"),
      onsubmit: async (values, { key }) => {
        const created = await withLocalizedProblem(
          call("POST /v1/subscriptions", { body: { plan: name, ...values } }, { key }),
          t,
        );
        await go(`/plans/${created.id}`);
      },
    });
  return h(
    "article.card.stack.plan-offer",
    { "aria-labelledby": `plan-${name}` },
    h("h2", { id: `plan-${name}` }, title),
    h("p.plan-price", null, priceText(price, months)),
    h(
      "ul.plan-features",
      { role: "list" },
      [...(seats ? [t("seatCount", { count: seats })] : []), ...features.map(featureText)].map((it) =>
        h("li", null, icon("check"), it)
      ),
    ),
    subscription
      ? h("a.button", { href: link(`/plans/${subscription.id}`) }, t("yourPlan"))
      : h("button.button.primary", {
        type: "button",
        "aria-label": t("subscribeTo", { plan: title }),
        onclick: subscribe,
      }, t("subscribe")),
  );
}
