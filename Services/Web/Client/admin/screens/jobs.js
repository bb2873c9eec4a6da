// @ts-check
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { clockTime, relative } from "../../shared/language.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { chip, entry } from "../components/entry.js";
import { byService, lines, showRetried } from "../components/failed-work.js";
import { shortID } from "../components/references.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { AuthAdminRetryJobsBody, PlatformJobs, ServiceJobs } from "../../../Types/api.d.ts" */

export const load = () => call("GET /v1/admin/jobs", {});

/**
 * What services do in the background: what waits, and what was dropped (docs/background-work.md).
 * @param {PlatformJobs} loaded
 */
export default function jobsScreen(loaded) {
  const shown = state(loaded);

  /** @param {AuthAdminRetryJobsBody} body */
  async function retry(body) {
    showRetried(await withProof(() => call("POST /v1/admin/jobs/retry", { body })));
    shown.set(await load());
  }

  /** @param {ServiceJobs} part */
  const content = ({ service, queues, dropped }) => [
    lines(
      t("jobs"),
      queues.map(({ kind, due, later, dropped: count, oldestSeconds, nextAt }) =>
        entry({
          title: h("span.action-name", null, kind),
          details: [
            t("jobsDue", { count: due }),
            t("jobsLater", { count: later }),
            due > 0 && t("jobsOldest", { time: clockTime(oldestSeconds * 1000) }),
            nextAt && t("jobsNext", { when: relative(nextAt) }),
          ],
          end: count > 0 && [
            chip(t("jobsDropped", { count }), "is-danger"),
            actionButton({ label: t("retryAll"), class: "small", run: () => retry({ service, kind }) }),
          ],
        })
      ),
    ),
    dropped.length > 0 && h("h3", null, t("dropped")),
    dropped.length > 0 && lines(
      t("dropped"),
      dropped.map(({ id, kind, attempts, failure, droppedAt }) =>
        entry({
          title: failure,
          details: [
            h("span.action-name", null, kind),
            shortID(id),
            t("attempts", { count: attempts }),
            relative(droppedAt),
          ],
          end: actionButton({ label: text("tryAgain"), class: "small", run: () => retry({ service, id }) }),
        })
      ),
    ),
  ];

  return sectionPage(
    "system",
    { title: t("jobs"), intro: t("jobsIntro") },
    () =>
      byService(shown.get(), {
        isEmpty: ({ queues }) => queues.length === 0,
        content,
        nothing: { title: t("noJobs"), message: t("noJobsHint") },
      }),
  );
}
