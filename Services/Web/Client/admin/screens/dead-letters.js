// @ts-check
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { relative } from "../../shared/language.js";
import { withProof } from "../../shared/sign-in/proof.js";
import { text } from "../../shared/text.js";
import { h, state } from "../../shared/view.js";
import { entry } from "../components/entry.js";
import { byService, lines, showRetried } from "../components/failed-work.js";
import { shortID } from "../components/references.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { AuthAdminRetryDeadLettersBody, PlatformDeadLetters, ServiceDeadLetters } from "../../../Types/api.d.ts" */

export const load = () => call("GET /v1/admin/dead-letters", {});

/**
 * Events that their consumers have rejected for good (docs/events.md).
 * @param {PlatformDeadLetters} loaded
 */
export default function deadLettersScreen(loaded) {
  const shown = state(loaded);

  /** @param {AuthAdminRetryDeadLettersBody} body */
  async function retry(body) {
    showRetried(await withProof(() => call("POST /v1/admin/dead-letters/retry", { body })));
    shown.set(await load());
  }

  /** @param {ServiceDeadLetters} part */
  const content = ({ service, counts, newest }) => [
    lines(
      t("deadLetters"),
      counts.map(({ type, subscriber, count }) =>
        entry({
          title: h("span.action-name", null, type),
          details: [t("rejectedBy", { service: subscriber }), t("letters", { count })],
          end: actionButton({ label: t("retryAll"), class: "small", run: () => retry({ service, type }) }),
        })
      ),
    ),
    h("h3", null, t("newest")),
    lines(
      t("newest"),
      newest.map(({ eventID, type, subscriber, attempts, failure, recordedAt }) =>
        entry({
          title: failure ?? t("noReason"),
          details: [
            h("span.action-name", null, type),
            shortID(eventID),
            subscriber,
            t("attempts", { count: attempts }),
            recordedAt && relative(recordedAt),
          ],
          end: actionButton({ label: text("tryAgain"), class: "small", run: () => retry({ service, eventID }) }),
        })
      ),
    ),
  ];

  return sectionPage(
    "system",
    { title: t("deadLetters"), intro: t("deadLettersIntro") },
    () =>
      byService(shown.get(), {
        isEmpty: ({ counts }) => counts.length === 0,
        content,
        nothing: { title: t("noDeadLetters"), message: t("noDeadLettersHint") },
      }),
  );
}
