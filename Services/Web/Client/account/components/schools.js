// @ts-check
/** The schools of the user. */
import { call } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { regionName } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { SCHOOL_ROLES } from "../names.js";
import { t } from "../strings.js";
import { line, section } from "./section.js";

/** @import { SchoolMembership } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @param {State<SchoolMembership[]>} memberships */
export function schoolSection(memberships) {
  /** @param {SchoolMembership["school"]} school */
  async function leave({ id, name }) {
    const question = { title: t("leaveQuestion", { school: name }), message: t("leaveHint"), confirm: t("leave") };
    if (!await confirmDialog({ ...question, isDangerous: true })) return;
    await call("DELETE /v1/users/me/schools/{id}", { id });
    memberships.update((all) => all.filter((it) => it.school.id !== id));
  }

  return section(
    t("schools"),
    null,
    () =>
      memberships.get().map(({ school, role }) =>
        line({
          title: school.name,
          detail: [regionName(school.country), SCHOOL_ROLES[role]].join(" · "),
          actions: [
            role === "staff" && h("a.button.small", { href: link(`/schools/${school.id}`) }, t("members")),
            actionButton({ label: t("leave"), class: "small", run: () => leave(school) }),
          ],
        })
      ),
  );
}
