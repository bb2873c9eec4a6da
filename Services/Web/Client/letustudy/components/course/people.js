// @ts-check
import { call, pages } from "../../../shared/api.js";
import { t as chat } from "../../../shared/chat/strings.js";
import { writeTo } from "../../../shared/chat/write-to.js";
import { actionButton, form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { listView, paged } from "../../../shared/components/list.js";
import { menu } from "../../../shared/components/menu.js";
import { avatar } from "../../../shared/components/picture.js";
import { toast } from "../../../shared/components/toast.js";
import { user } from "../../../shared/session.js";
import { text } from "../../../shared/text.js";
import { h, state } from "../../../shared/view.js";
import { t } from "./strings.js";
import { mayTeach, teaches } from "./access.js";
import { action, removal } from "./actions.js";

/** @import { Course, CourseMember } from "../../../../Types/api.d.ts" */

const INVITED = /** @type {const} */ (["student", "instructor"]);

/** Who takes part; for instructors, how others join. @param {Course} course */
export function people(course) {
  const { id } = course;
  const list = paged((signal) => pages("GET /v1/courses/{id}/members", { id }, { signal }));
  return h(
    "div.stack",
    null,
    mayTeach(course) && h("div.columns", null, codeCard(id), inviteCard(course)),
    listView(list, {
      key: (it) => it.userID,
      label: t("people"),
      empty: { icon: "people", title: t("noPeople") },
      render: (item) => {
        const { userID, name, role } = item.get();
        const title = name?.displayName ?? t("unknownPerson");
        const write = action(chat("messageTo", { name: title }), "chat", () => writeTo(userID));
        const remove = removal({
          title: t("removeMember", { name: title }),
          message: t("removeMemberMessage"),
          label: t("remove"),
          run: async () => {
            await call("DELETE /v1/courses/{id}/members/{user}", { id, user: userID });
            await list.reload();
          },
        });
        return h(
          "div",
          null,
          avatar(name, { size: "small" }),
          h("span.grow", null, title),
          h("span.chip", { class: role === "student" ? "" : "is-accent" }, t(`course-${role}`)),
          userID !== user.get()?.id && h("button.button.quiet.icon-only", {
            type: "button",
            "aria-label": chat("messageTo", { name: title }),
            onclick: write.run,
          }, icon("chat")),
          mayRemove(course, role) && menu({ label: t("actionsFor", { title }), items: () => [remove] }),
        );
      },
    }),
  );
}

/** @param {Course} course @param {CourseMember["role"]} role */
const mayRemove = (course, role) =>
  role === "student" ? teaches(course) : role === "instructor" && course.role === "owner";

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

/** @param {Course} course */
const inviteCard = ({ id, role }) =>
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
          options: INVITED.filter((value) => value === "student" || role === "owner").map((value) => ({
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
