// @ts-check
import { call, pages } from "../../../shared/api.js";
import { actionButton, form } from "../../../shared/components/form.js";
import { listView, paged } from "../../../shared/components/list.js";
import { avatar } from "../../../shared/components/picture.js";
import { toast } from "../../../shared/components/toast.js";
import { text } from "../../../shared/text.js";
import { h, state } from "../../../shared/view.js";
import { t } from "../../strings.js";

/** @import { Course } from "../../../../Types/api.d.ts" */

/** Who takes part; for instructors, how others join. @param {Course} course @param {boolean} isTeacher */
export function people({ id }, isTeacher) {
  const list = paged((signal) => pages("GET /v1/courses/{id}/members", { id }, { signal }));
  return h(
    "div.stack",
    null,
    isTeacher && h("div.columns", null, codeCard(id), inviteCard(id)),
    listView(list, {
      key: (it) => it.userID,
      label: t("people"),
      empty: { icon: "people", title: t("noPeople") },
      render: (item) => {
        const { userID, name, role } = item.get();
        const remove = async () => {
          await call("DELETE /v1/courses/{id}/members/{user}", { id, user: userID });
          await list.reload();
        };
        return h(
          "div",
          null,
          avatar(name, { size: "small" }),
          h("span.grow", null, name?.displayName ?? t("unknownPerson")),
          h("span.chip", { class: role === "student" ? "" : "is-accent" }, t(`course-${role}`)),
          isTeacher && role === "student" && actionButton({ label: t("remove"), run: remove, class: "quiet small" }),
        );
      },
    }),
  );
}

/** @param {string} id */
function codeCard(id) {
  const code = state("");
  call("GET /v1/courses/{id}/code", { id }).then((it) => code.set(it.code ?? "")).catch(() => {});
  return h(
    "section.card.stack",
    null,
    h("h2", null, t("courseCode")),
    h("p.course-code.number", null, () => code.get() || "–"),
    h("p.soft.small-text", null, t("courseCodeShare")),
    h(
      "div.row",
      null,
      actionButton({
        label: t("newCode"),
        run: async () => code.set((await call("POST /v1/courses/{id}/code", { id })).code ?? ""),
      }),
      () =>
        code.get() && actionButton({
          label: t("noCode"),
          class: "quiet",
          run: async () => {
            await call("DELETE /v1/courses/{id}/code", { id });
            code.set("");
          },
        }),
    ),
  );
}

/** @param {string} id */
const inviteCard = (id) =>
  h(
    "section.card.stack",
    null,
    h("h2", null, t("invite")),
    form({
      fields: [
        { name: "email", label: text("email"), kind: "email", required: true, props: { autocomplete: "off" } },
        {
          name: "role",
          label: t("role"),
          kind: "select",
          options: /** @type {const} */ (["student", "instructor"]).map((value) => ({
            value,
            label: t(`course-${value}`),
          })),
        },
      ],
      submit: t("invite"),
      onsubmit: async (body, { key }) => {
        await call("POST /v1/courses/{id}/invitations", { id, body }, { key });
        toast(t("invited", { name: body.email }), { kind: "success" });
      },
    }),
  );
