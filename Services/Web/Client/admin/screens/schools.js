// @ts-check
import { call, pages } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { toast } from "../../shared/components/toast.js";
import { date, regionName } from "../../shared/language.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { chip, entry } from "../components/entry.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { School } from "../../../Types/api.d.ts" */

/** Schools, and who of each manages its members (docs/accounts.md). */
export default function schoolsScreen() {
  const list = paged((signal) => pages("GET /v1/admin/schools", { limit: 30 }, { signal }));

  const create = () =>
    openDialog({
      title: t("schoolNew"),
      build: (close) =>
        form({
          fields: [
            { name: "name", label: t("name"), required: true, props: { maxlength: 120 } },
            {
              name: "country",
              label: t("country"),
              hint: t("countryHint"),
              required: true,
              props: { maxlength: 2, autocapitalize: "characters" },
            },
          ],
          submit: text("add"),
          oncancel: () => close(),
          onsubmit: async ({ name, country }) => {
            await withProof(() => call("POST /v1/admin/schools", { body: { name, country: country.toUpperCase() } }));
            close();
            await list.reload();
          },
        }),
    });

  /** @param {School} school */
  const addStaff = ({ id, name }) =>
    openDialog({
      title: t("staffNew"),
      build: (close) =>
        form({
          fields: [{
            name: "username",
            label: t("username"),
            hint: t("staffHint", { school: name }),
            required: true,
            props: { autocapitalize: "none" },
          }],
          submit: text("add"),
          oncancel: () => close(),
          onsubmit: async ({ username }) => {
            const found = await call("GET /v1/admin/users", { query: username, limit: 100 });
            const person = found.items.find((it) => it.username === username.toLowerCase());
            if (!person) return toast(t("noAccounts"), { kind: "error" });
            await withProof(() => call("PUT /v1/admin/schools/{id}/staff/{user}", { id, user: person.id }));
            close();
            toast(t("saved"), { kind: "success" });
          },
        }),
    });

  /** @param {School} school */
  async function toggle({ id, version, isActive }) {
    const body = { isActive: !isActive };
    const changed = await withProof(() => call("PATCH /v1/admin/schools/{id}", { id, body }, { version }));
    list.items.update((all) => all.map((it) => it.id === id ? changed : it));
    toast(t("saved"), { kind: "success" });
  }

  return sectionPage(
    "people",
    {
      title: t("schools"),
      intro: t("schoolsIntro"),
      action: actionButton({ label: t("schoolNew"), icon: "add", class: "primary", run: create }),
    },
    listView(list, {
      key: (it) => it.id,
      label: t("schools"),
      empty: { icon: "book", title: t("noSchools"), message: t("noSchoolsHint") },
      render: (item) =>
        h("div", null, () => {
          const school = item.get();
          return entry({
            title: school.name,
            details: [regionName(school.country), t("since", { date: date(school.createdAt) })],
            end: [
              chip(t(school.isActive ? "active" : "inactive"), school.isActive ? "is-success" : ""),
              actionButton({ label: t("staffNew"), class: "small", run: () => addStaff(school) }),
              actionButton({
                label: t(school.isActive ? "deactivate" : "activate"),
                class: "small",
                run: () => toggle(school),
              }),
            ],
          });
        }),
    }),
  );
}
