// @ts-check
import { call, pages, Problem } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { avatar } from "../../shared/components/picture.js";
import { tabs } from "../../shared/components/tabs.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime, money } from "../../shared/language.js";
import { go } from "../../shared/router.js";
import { hasRole, user } from "../../shared/session.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { auditEntry } from "../components/audit.js";
import { chip, facts } from "../components/entry.js";
import { sessionList } from "../components/sessions.js";
import { roleName, ROLES } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { AdministeredAccount, AuthAdminUpdateUserBody } from "../../../Types/api.d.ts" */
/** @import { Role } from "../names.js" */

/**
 * The account among those that have the name: the API has no other way to an account's roles and state.
 * @param {import("../../shared/router.js").Visit} visit
 */
export async function load({ params: { id }, query, signal }) {
  const name = query.get("name") ?? await nameOf(id, signal);
  const search = name.includes("@") ? { email: name } : { query: name };
  for await (const items of pages("GET /v1/admin/users", { ...search, limit: 100 }, { signal })) {
    const found = items.find((it) => it.id === id);
    if (found) return found;
  }
  throw new Problem({ status: 404, code: "user-not-found", title: t("unknownPerson") });
}

/**
 * @param {string} id
 * @param {AbortSignal} signal
 */
async function nameOf(id, signal) {
  const profile = await call("GET /v1/users/{id}", { id }, { signal });
  return profile.username ?? profile.displayName;
}

/**
 * One account: its state and roles, where it is signed in, what it has done, and what was done to it.
 * @param {AdministeredAccount} loaded
 */
export default function accountScreen(loaded) {
  const { id } = loaded;
  const account = state(loaded);
  const mayEdit = hasRole("administrator");
  const isSelf = user.get()?.id === id;

  /** @param {AuthAdminUpdateUserBody} body */
  async function change(body) {
    account.set(await withProof(() => call("PATCH /v1/admin/users/{id}", { id, body })));
  }

  const showSaved = () => toast(t("saved"), { kind: "success" });

  async function toggle() {
    const { isDisabled, displayName } = account.get();
    const question = isDisabled ? { title: t("enableQuestion", { name: displayName }), confirm: t("enable") } : {
      title: t("disableQuestion", { name: displayName }),
      message: t("disableHint"),
      confirm: t("disable"),
      isDangerous: true,
    };
    if (!await confirmDialog(question)) return;
    await change({ isDisabled: !isDisabled });
    showSaved();
  }

  const chooseRoles = () =>
    openDialog({
      title: t("roles"),
      build: (close) =>
        form({
          fields: /** @type {Role[]} */ (Object.keys(ROLES)).filter((it) => it !== "guest").map((role) => ({
            name: role,
            label: ROLES[role],
            kind: "checkbox",
            value: account.get().roles.includes(role),
          })),
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async (values) => {
            await change({ roles: /** @type {Role[]} */ (Object.keys(values).filter((it) => values[it])) });
            close();
            showSaved();
          },
        }),
    });

  const editProfile = () =>
    openDialog({
      title: t("editProfile"),
      build: (close) =>
        form({
          fields: [
            { name: "displayName", label: t("name"), value: account.get().displayName, required: true },
            { name: "username", label: t("username"), value: account.get().username },
            { name: "reason", label: t("reason"), hint: t("reasonHint"), required: true, props: { maxlength: 120 } },
          ],
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async ({ displayName, username, reason }) => {
            const known = account.get();
            await change({
              ...(displayName !== known.displayName && { displayName }),
              ...(username !== known.username && { username }),
              reason,
            });
            close();
            showSaved();
          },
        }),
    });

  const grantCredit = () =>
    openDialog({
      title: t("grantCredit"),
      build: (close) =>
        form({
          fields: [
            { name: "amount", label: t("amount"), kind: "money", currency: "USD", required: true },
            { name: "reason", label: t("reason"), required: true, props: { maxlength: 120 } },
          ],
          submit: t("grantCredit"),
          oncancel: () => close(),
          onsubmit: async (body, { key }) => {
            const balance = await call("POST /v1/admin/users/{user}/credit", { user: id, body }, { key });
            close();
            toast(t("creditNow", { amount: money(balance.available) }), { kind: "success" });
          },
        }),
    });

  const remove = () =>
    openDialog({
      title: t("deleteQuestion", { name: account.get().displayName }),
      build: (close) =>
        h(
          "div.stack",
          null,
          h("p", null, t("deleteHint")),
          form({
            fields: [{ name: "reason", label: t("reason"), required: true, props: { maxlength: 120 } }],
            submit: text("delete"),
            isDangerous: true,
            oncancel: () => close(),
            onsubmit: async ({ reason }) => {
              await withProof(() => call("DELETE /v1/admin/users/{id}", { id, reason }));
              close();
              toast(t("accountDeleted"), { kind: "success" });
              await go("/people/accounts", { replace: true });
            },
          }),
        ),
    });

  const head = () => {
    const { displayName, username, email, roles, isDisabled, createdAt } = account.get();
    return h(
      "section.card.stack",
      null,
      h(
        "div.row",
        null,
        avatar(account.get(), { size: "large" }),
        h(
          "div.grow",
          null,
          h(
            "p.row",
            null,
            roles.map((it) => chip(roleName(it), it === "user" ? "" : "is-accent")),
            isDisabled && chip(t("disabled"), "is-danger"),
          ),
        ),
      ),
      facts([
        [t("name"), displayName],
        [t("username"), username && `@${username}`],
        [t("email"), email],
        [t("memberSince"), dateTime(createdAt)],
      ]),
      mayEdit && h(
        "div.row",
        null,
        !isSelf && actionButton({ label: t("roles"), icon: "shield", run: chooseRoles }),
        actionButton({ label: t("editProfile"), icon: "edit", run: editProfile }),
        actionButton({ label: t("grantCredit"), icon: "card", run: grantCredit }),
        !isSelf && actionButton({
          label: t(isDisabled ? "enable" : "disable"),
          icon: isDisabled ? "check" : "block",
          class: isDisabled ? "" : "dangerous",
          run: toggle,
        }),
        !isSelf && actionButton({ label: text("delete"), icon: "trash", class: "dangerous", run: remove }),
      ),
    );
  };

  return sectionPage(
    "people",
    { title: loaded.displayName },
    head,
    h("h2", null, t("sessions")),
    sessionList(id),
    h("h2", null, t("trail")),
    tabs({
      label: t("trail"),
      tabs: [
        { id: "sign-ins", label: t("signIns"), content: () => trail({ actor: `user:${id}`, action: "session.begun" }) },
        { id: "by", label: t("doneBy"), content: () => trail({ actor: `user:${id}` }) },
        { id: "to", label: t("doneTo"), content: () => trail({ object: `user:${id}` }) },
      ],
    }),
  );
}

/** @param {{ actor?: string, object?: string, action?: string }} search */
function trail(search) {
  const list = paged((signal) => pages("GET /v1/admin/audit", { ...search, limit: 20 }, { signal }));
  return listView(list, {
    key: (it) => it.id,
    label: t("trail"),
    empty: { icon: "clock", title: t("noEntries") },
    render: (item) => auditEntry(item.get()),
  });
}
