// @ts-check
/** Who uses a group plan, and who is invited to it. */
import { call, pages } from "../../../shared/api.js";
import { confirmDialog } from "../../../shared/components/dialog.js";
import { actionButton, form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { listView, paged } from "../../../shared/components/list.js";
import { avatar } from "../../../shared/components/picture.js";
import { toast } from "../../../shared/components/toast.js";
import { date } from "../../../shared/language.js";
import { withLocalizedProblem } from "../../../shared/problems.js";
import { on } from "../../../shared/realtime.js";
import { text } from "../../../shared/text.js";
import { computed, h } from "../../../shared/view.js";
import { t } from "./strings.js";

/** @import { PlanMember, Subscription } from "../../../../Types/api.d.ts" */
/** @import { State } from "../../../shared/signals.js" */

/**
 * @param {string} id of the subscription
 * @param {State<Subscription>} subscription
 * @param {() => Promise<unknown>} reload
 */
export function planMembers(id, subscription, reload) {
  const members = paged((signal) => pages("GET /v1/subscriptions/{id}/members", { id }, { signal }));
  const invitations = paged((signal) => pages("GET /v1/subscriptions/{id}/invitations", { id }, { signal }));
  on(["plan.changed", "resync"], () => {
    members.refresh();
    invitations.refresh();
  });
  const seats = computed(() => subscription.get().seats ?? { total: 0, used: 0 });
  const isActive = computed(() => subscription.get().isActive);

  /** @param {PlanMember} member @param {string} name */
  async function remove({ userID }, name) {
    const isSure = await confirmDialog({
      title: t("removeMember", { name }),
      message: t("removeMemberMessage"),
      confirm: t("remove"),
      isDangerous: true,
    });
    if (!isSure) return;
    await call("DELETE /v1/subscriptions/{id}/members/{userID}", { id, userID });
    await Promise.all([members.reload(), reload()]);
  }

  /** @param {string} invitation */
  async function withdraw(invitation) {
    await call("DELETE /v1/subscriptions/{id}/invitations/{invitation}", { id, invitation });
    await invitations.reload();
  }

  const inviteForm = () =>
    form({
      fields: [{
        name: "email",
        label: text("email"),
        hint: t("inviteHint"),
        kind: "email",
        required: true,
        props: { autocomplete: "off" },
      }],
      submit: t("invite"),
      onsubmit: async (body, { key }) => {
        await withLocalizedProblem(call("POST /v1/subscriptions/{id}/members", { id, body }, { key }), t);
        await invitations.reload();
        toast(t("invited", { name: body.email }), { kind: "success" });
      },
    });

  return h(
    "section.stack",
    { "aria-labelledby": "plan-members" },
    h(
      "div.spread",
      null,
      h("h2", { id: "plan-members" }, t("members")),
      h("p.soft", null, () => t("seatsUsed", { used: seats.get().used, total: seats.get().total })),
    ),
    h(
      "section.card.stack",
      null,
      h("h3", null, t("invite")),
      () => isActive.get() ? inviteForm() : h("p.soft", null, t("notPaid")),
    ),
    listView(members, {
      key: (it) => it.userID,
      label: t("members"),
      empty: { icon: "people", title: t("noMembers") },
      render: (item) => {
        const member = item.get();
        const name = member.name?.displayName ?? t("unknownPerson");
        return h(
          "div",
          null,
          avatar(member.name, { size: "small" }),
          h(
            "span.grow",
            null,
            name,
            h("span.soft.small-text.plan-note", null, t("memberSince", { date: date(member.joinedAt) })),
          ),
          actionButton({
            label: t("remove"),
            class: "quiet",
            run: () => remove(member, name),
            props: { "aria-label": `${t("remove")}: ${name}` },
          }),
        );
      },
    }),
    h("h3", null, t("invitations")),
    listView(invitations, {
      key: (it) => it.id,
      label: t("invitations"),
      empty: { icon: "mail", title: t("noInvitations") },
      render: (item) => {
        const { id: invitation, email, expiresAt } = item.get();
        const name = email ?? t("unknownPerson");
        return h(
          "div",
          null,
          icon("mail"),
          h(
            "span.grow",
            null,
            name,
            h("span.soft.small-text.plan-note", null, t("expiresOn", { date: date(expiresAt) })),
          ),
          actionButton({
            label: t("withdraw"),
            class: "quiet",
            run: () => withdraw(invitation),
            props: { "aria-label": `${t("withdraw")}: ${name}` },
          }),
        );
      },
    }),
  );
}
