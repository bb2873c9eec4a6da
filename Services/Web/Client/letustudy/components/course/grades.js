// @ts-check
import { pages } from "../../../shared/api.js";
import { listView, paged } from "../../../shared/components/list.js";
import { avatar } from "../../../shared/components/picture.js";
import { percent } from "../../../shared/language.js";
import { h } from "../../../shared/view.js";
import { duration } from "../words.js";
import { t } from "./strings.js";
import { pointsOfMax } from "./points.js";

/** @import { Course } from "../../../../Types/api.d.ts" */

/** Points of each student and how well the sets of the course are known; students see their own. @param {Course} course */
export function grades({ id: course }) {
  return h(
    "div.stack",
    null,
    listView(paged((signal) => pages("GET /v1/courses/{course}/grades", { course }, { signal })), {
      key: (it) => it.student,
      label: t("grades"),
      empty: { icon: "star", title: t("noGrades") },
      render: (item) => {
        const { name, points, maxPoints, grades: all } = item.get();
        return h(
          "div",
          null,
          avatar(name, { size: "small" }),
          h(
            "span.grow",
            null,
            name?.displayName ?? t("unknownPerson"),
            h("br"),
            h(
              "span.soft.small-text",
              null,
              t("gradedCount", { count: all.filter((it) => it.points !== undefined).length }),
            ),
          ),
          h("strong.number", null, pointsOfMax(points, maxPoints)),
        );
      },
    }),
    h("h2", null, t("progress")),
    listView(paged((signal) => pages("GET /v1/courses/{course}/progress", { course }, { signal })), {
      key: (it) => it.student,
      label: t("progress"),
      empty: { icon: "chart", title: t("noProgress") },
      render: (item) => {
        const { name, submittedCount, assignmentCount, sets } = item.get();
        const known = sets.length > 0 ? sets.reduce((sum, it) => sum + it.mastery.value, 0) / sets.length : 0;
        const time = sets.reduce((sum, it) => sum + it.studiedMilliseconds, 0);
        return h(
          "div",
          null,
          avatar(name, { size: "small" }),
          h(
            "span.grow",
            null,
            name?.displayName ?? t("unknownPerson"),
            h("br"),
            h("span.soft.small-text", null, t("submittedOf", { count: submittedCount, all: assignmentCount })),
          ),
          h("span.chip", null, t("knownPart", { percent: percent(known) })),
          h("span.chip", null, duration(time)),
        );
      },
    }),
  );
}
