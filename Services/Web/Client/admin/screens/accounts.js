// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { avatar } from "../../shared/components/picture.js";
import { date } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { chip, entry } from "../components/entry.js";
import { filters } from "../components/filters.js";
import { roleName } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/**
 * @param {undefined} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function accountsScreen(_, { query }) {
  const { values, element } = filters({
    query,
    onchange: () => list.reload(),
    fields: [
      { name: "query", label: t("nameOrUsername"), kind: "search", props: { autocapitalize: "none" } },
      { name: "email", label: t("email"), kind: "email", props: { autocomplete: "off", placeholder: t("emailWhole") } },
    ],
  });
  const list = paged((signal) => pages("GET /v1/admin/users", { ...values.get(), limit: 30 }, { signal }));
  return sectionPage(
    "people",
    { title: t("accounts"), intro: t("accountsIntro") },
    element,
    listView(list, {
      key: (it) => it.id,
      label: t("accounts"),
      empty: { icon: "people", title: t("noAccounts"), message: t("otherFilters") },
      render: (item) => {
        const account = item.get();
        return entry({
          href: link(`/people/accounts/${account.id}`, { name: account.username ?? account.email }),
          start: avatar(account),
          title: account.displayName,
          details: [
            account.username && `@${account.username}`,
            account.email,
            t("since", { date: date(account.createdAt) }),
          ],
          end: [
            account.isDisabled && chip(t("disabled"), "is-danger"),
            account.roles.filter((it) => it !== "user").map((it) => chip(roleName(it), "is-accent")),
          ],
        });
      },
    }),
  );
}
