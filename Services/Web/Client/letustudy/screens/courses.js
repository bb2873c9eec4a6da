// @ts-check
import { call, pages } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { form } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { icon } from "../../shared/components/icon.js";
import { empty } from "../../shared/components/states.js";
import { isOn } from "../../shared/features.js";
import { go, link } from "../../shared/router.js";
import { hasRole } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { courseDialog } from "../components/course/course-dialog.js";
import { hueOf } from "../components/set-card.js";
import { t } from "../components/course/strings.js";

/** The code of a course has 8 letters and digits, with spaces at most this many; that of an invitation is longer. */
const LONGEST_CODE = 20;

/** The courses of the user, as a student or an instructor. */
export default function coursesScreen() {
  if (hasRole("guest")) {
    return h(
      "div.stack",
      null,
      h("h1", null, t("courses")),
      empty({
        icon: "people",
        title: t("coursesNeedAccount"),
        action: isOn("sign-up") ? h("a.button.primary", { href: link("/sign-up") }, text("createAccount")) : undefined,
      }),
    );
  }
  const list = paged((signal) => pages("GET /v1/courses", {}, { signal }));
  const join = () =>
    openDialog({
      title: t("joinCourse"),
      build: (close) =>
        form({
          fields: [{
            name: "code",
            label: t("courseCode"),
            hint: t("courseCodeHint"),
            required: true,
            props: { maxlength: 200, autocapitalize: "none", autocomplete: "off", spellcheck: "false" },
          }],
          submit: t("join"),
          oncancel: () => close(),
          onsubmit: async ({ code }, { key }) => {
            const course = code.length <= LONGEST_CODE
              ? await call("POST /v1/courses/join", { body: { code } })
              : await call("POST /v1/course-invitations/accept", { body: { token: code } }, { key });
            close();
            await go(`/courses/${course.id}`);
          },
        }),
    });
  const create = () =>
    courseDialog({
      title: t("newCourse"),
      submit: t("newCourse"),
      onsubmit: async (body, { key }) => {
        const course = await call("POST /v1/courses", { body }, { key });
        await go(`/courses/${course.id}`);
      },
    });
  const actions = () => [
    h("button.button", { type: "button", onclick: join }, icon("key"), t("joinCourse")),
    hasRole("instructor", "administrator") &&
    h("button.button.primary", { type: "button", onclick: create }, icon("add"), t("newCourse")),
  ];
  return h(
    "div.stack",
    null,
    h("header.page-header", null, h("h1", null, t("courses")), h("div.row", null, actions())),
    listView(list, {
      key: (it) => it.id,
      label: t("courses"),
      class: "cards",
      empty: { icon: "people", title: t("noCourses"), message: t("noCoursesHint") },
      render: (item) => {
        const course = item.get();
        return h(
          "a.card.set-card",
          { href: link(`/courses/${course.id}`), style: { "--hue": hueOf(course.id) } },
          h("span.set-spine", { "aria-hidden": "true" }),
          h("h2.set-title", null, course.title),
          course.term && h("p.small-text.soft", null, course.term),
          h(
            "p.row",
            null,
            h("span.chip.is-accent", null, t(`course-${course.role}`)),
            h("span.chip", null, t("studentCount", { count: course.studentCount })),
            course.state === "archived" && h("span.chip.is-warning", null, t("archived")),
          ),
        );
      },
    }),
  );
}
