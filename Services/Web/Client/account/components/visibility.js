// @ts-check
/** Who sees which part of the profile. */
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { user } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { section } from "./section.js";

/** @import { Account, ProfileVisibility } from "../../../Types/api.d.ts" */

/** Parts of the profile, and who sees them unless the user has chosen. @type {[keyof ProfileVisibility, string][]} */
const PARTS = [
  ["email", t("email")],
  ["firstName", t("firstName")],
  ["lastName", t("lastName")],
  ["photo", t("photo")],
  ["bio", t("bio")],
  ["school", t("school")],
  ["phone", t("phone")],
  ["birthday", t("birthday")],
  ["gender", t("gender")],
];

/** @param {Account} account */
export function visibilitySection({ visibility, version: seen }) {
  let version = seen;
  const choices = [
    { value: "", label: t("visibleDefault") },
    { value: "everyone", label: t("visibleEveryone") },
    { value: "connections", label: t("visibleConnections") },
    { value: "onlyMe", label: t("visibleOnlyMe") },
  ];
  return section(
    t("visibility"),
    t("visibilityIntro"),
    h(
      "div.fields-grid.is-narrow",
      null,
      form({
        fields: PARTS.map(([name, label]) => ({
          name,
          label,
          kind: "select",
          value: visibility[name] ?? "",
          options: visibility[name] ? choices.slice(1) : choices,
        })),
        submit: text("save"),
        compact: true,
        onsubmit: async (values) => {
          const saved = await call("PATCH /v1/users/me", { body: { visibility: { ...visibility, ...values } } }, {
            version,
          });
          version = saved.version;
          user.set(saved);
          toast(t("saved"), { kind: "success" });
        },
      }),
    ),
  );
}
