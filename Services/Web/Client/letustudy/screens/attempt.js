// @ts-check
import { call } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { testResult } from "../components/course/test-result.js";
import { testRun } from "../components/course/test-run.js";
import { countTime } from "../components/course/time.js";
import { hueOf } from "../components/set-card.js";
import { t } from "../components/course/strings.js";

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { course, assignment: id, id: attempt }, signal }) {
  const [assignment, taken] = await Promise.all([
    call("GET /v1/courses/{course}/assignments/{id}", { course, id }, { signal }),
    call("GET /v1/attempts/{id}", { id: attempt }, { signal }),
  ]);
  return { assignment, attempt: taken };
}

/**
 * An attempt at a test: its questions while it runs, its result afterwards.
 * @param {Awaited<ReturnType<typeof load>>} data @param {import("../../shared/router.js").Visit} visit
 */
export default function attemptScreen({ assignment, attempt }, { params: { course } }) {
  countTime();
  return h(
    "div.stack.prose",
    { style: { "--hue": hueOf(course) } },
    h(
      "a.button.quiet.small.back-link",
      { href: link(`/courses/${course}/assignments/${assignment.id}`) },
      icon("back"),
      t("toAssignment"),
    ),
    h("h1", null, assignment.title),
    attempt.summary.status === "running" ? testRun(attempt) : testResult(attempt),
  );
}
