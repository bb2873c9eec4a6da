// @ts-check
import { call, pages } from "../../shared/api.js";
import { confirmDialog, openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { dateTime } from "../../shared/language.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { line } from "../components/section.js";
import { SCHOOL_ROLES } from "../names.js";
import { t } from "../strings.js";

/** @import { SchoolMember, SchoolMembership, TemporaryPassword } from "../../../Types/api.d.ts" */
/** @import { Visit } from "../../shared/router.js" */

/** @param {Visit} visit */
export async function load({ params: { id } }) {
  const { items } = await call("GET /v1/users/me/schools");
  return items.find((it) => it.school.id === id);
}

/**
 * The members of a school, for its staff.
 * @param {SchoolMembership | undefined} membership
 * @param {Visit} visit
 */
export default function schoolScreen(membership, { params: { id } }) {
  const list = paged((signal) => pages("GET /v1/schools/{id}/members", { id, limit: 50 }, { signal }));

  const importList = () =>
    openDialog({
      title: t("importList"),
      build: (close) =>
        form({
          fields: [{
            name: "file",
            label: t("importFile"),
            kind: "file",
            hint: t("importHint"),
            required: true,
            props: { accept: ".csv,text/csv" },
          }],
          submit: t("importNow"),
          oncancel: () => close(),
          onsubmit: async ({ file }) => {
            const body = await file.text();
            const { report, passwords } = await withProof(() =>
              call("POST /v1/schools/{id}/members/import", { id, body })
            );
            close();
            await list.reload();
            const rejected = report.rejected.map((it) =>
              t("importRejected", { line: it.line, reason: it.errors.join(", ") })
            );
            await showPasswords(passwords, rejected);
          },
        }),
    });

  /** @param {SchoolMember} member */
  async function newPassword({ userID, displayName }) {
    const question = { title: t("passwordQuestion", { name: displayName }), message: t("passwordQuestionHint") };
    if (!await confirmDialog({ ...question, confirm: t("passwordReplace") })) return;
    const password = await withProof(() => call("POST /v1/schools/{id}/members/{user}/password", { id, user: userID }));
    await showPasswords([password], []);
  }

  /** @param {SchoolMember} member */
  async function remove({ userID, displayName }) {
    const question = { title: t("memberRemoveQuestion", { name: displayName }), confirm: t("totpRemove") };
    if (!await confirmDialog({ ...question, isDangerous: true })) return;
    await withProof(() => call("DELETE /v1/schools/{id}/members/{user}", { id, user: userID }));
    await list.reload();
  }

  return h(
    "div.stack",
    null,
    h(
      "header.page-header",
      null,
      h("h1", null, membership?.school.name ?? t("schools")),
      actionButton({ label: t("importList"), icon: "upload", class: "primary", run: importList }),
    ),
    listView(list, {
      key: (it) => it.userID,
      label: t("members"),
      empty: { icon: "people", title: t("noMembers"), message: t("importHint") },
      render: (item) => {
        const member = item.get();
        const { displayName, number, username, role, hasTemporaryPassword } = member;
        return line({
          title: [displayName, " ", hasTemporaryPassword && h("span.chip.is-warning", null, t("temporary"))],
          detail: [SCHOOL_ROLES[role], number, username && `@${username}`].filter(Boolean).join(" · "),
          actions: role !== "staff" && [
            actionButton({ label: t("passwordReplace"), class: "small", run: () => newPassword(member) }),
            actionButton({ label: t("totpRemove"), class: "small dangerous", run: () => remove(member) }),
          ],
        });
      },
    }),
  );
}

/**
 * Temporary passwords, which are shown once, and what of a list could not be taken over.
 * @param {TemporaryPassword[]} passwords
 * @param {string[]} rejected
 */
const showPasswords = (passwords, rejected) =>
  openDialog({
    title: t("passwords"),
    build: (close) =>
      h(
        "div.stack",
        null,
        h("p", null, passwords.length > 0 ? t("passwordsHint") : t("noPasswords")),
        passwords.map((it) =>
          line({ title: [it.username, " ", h("code", null, it.password)], detail: dateTime(it.expiresAt) })
        ),
        rejected.length > 0 && h("ul.form-failure", { role: "list" }, rejected.map((it) => h("li", null, it))),
        h(
          "div.form-actions",
          null,
          h("button.button.primary", { type: "button", onclick: () => close() }, text("close")),
        ),
      ),
  });
