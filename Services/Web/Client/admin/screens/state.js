// @ts-check
import { call } from "../../shared/api.js";
import { failure, skeleton } from "../../shared/components/states.js";
import { number } from "../../shared/language.js";
import { hasRole } from "../../shared/session.js";
import { h, onCleanUp, state } from "../../shared/view.js";
import { buckets, meters, tally, timeChart } from "../components/chart.js";
import { choice, filters } from "../components/filters.js";
import { measurements } from "../components/measurements.js";
import { loadStatus, serviceList } from "../components/status.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { AuditRecord } from "../../../Types/api.d.ts" */

const HOUR = 3_600_000;
/** How many pages of the trail are read for a chart, so that a busy platform is not slowed down by it. */
const PAGES = 6;
/** @type {Record<string, { hours: number, parts: number }>} */
const RANGES = { day: { hours: 24, parts: 24 }, week: { hours: 168, parts: 28 }, month: { hours: 720, parts: 30 } };

export const load = () => loadStatus();

/**
 * The newest entries of a span, and from when on they are complete.
 * @param {{ action?: string, from: number }} search
 * @param {AbortSignal} signal
 */
async function entriesSince({ action, from }, signal) {
  /** @type {AuditRecord[]} */
  const entries = [];
  /** @type {string | undefined} */
  let cursor;
  for (let page = 0; page < PAGES; page++) {
    /** @type {import("../../../Types/api.d.ts").AuditPage} */
    const answer = await call(
      "GET /v1/admin/audit",
      { action, from: new Date(from).toISOString(), limit: 100, cursor },
      { signal },
    );
    entries.push(...answer.items);
    cursor = answer.nextCursor;
    if (!cursor) return { entries, from };
  }
  return { entries, from: new Date(entries[entries.length - 1].at).getTime() };
}

/**
 * @param {import("../components/status.js").PlatformStatus} status
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function stateScreen(status, { query }) {
  return sectionPage(
    "system",
    { title: t("state"), intro: t("stateIntro") },
    h("section.card.stack", null, h("h2", null, t("services")), serviceList(status)),
    hasRole("administrator", "support") && [measurements(), activity(query)],
  );
}

/** Charts of what the audit trail has. @param {URLSearchParams} query */
function activity(query) {
  const shown = state(/** @type {{ entries: AuditRecord[], from: number, until: number } | null} */ (null));
  const error = state(/** @type {unknown} */ (null));
  let controller = new AbortController();
  onCleanUp(() => controller.abort());
  const { values, element } = filters({
    query,
    onchange: () => show(),
    fields: [
      choice("action", t("chartOf"), {
        "session.begun": t("signIns"),
        "sign-in.failed": t("signInsFailed"),
        "account.created": t("accountsNew"),
        "session.proved": t("proofs"),
        "order.refunded": t("refunds"),
      }),
      {
        name: "range",
        label: t("range"),
        kind: "select",
        options: [
          { value: "day", label: t("day") },
          { value: "week", label: t("week") },
          { value: "month", label: t("month") },
        ],
      },
    ],
  });
  const range = () => RANGES[values.get().range] ?? RANGES.day;

  async function show() {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    shown.set(null);
    error.set(null);
    const until = Date.now();
    const from = until - range().hours * HOUR;
    try {
      const found = await entriesSince({ action: values.get().action, from }, signal);
      shown.set({ ...found, until });
    } catch (reason) {
      if (!signal.aborted) error.set(reason);
    }
  }
  show();

  return h(
    "section.card.stack",
    null,
    h("h2", null, t("activity")),
    element,
    () => {
      if (error.get()) return failure(error.get(), show);
      const found = shown.get();
      if (!found) return skeleton(2);
      const { entries, from, until } = found;
      const isCut = from > until - range().hours * HOUR;
      const bars = buckets(entries.map((it) => it.at), { from, until, parts: range().parts });
      return h(
        "div.stack",
        null,
        h(
          "p",
          null,
          h("strong.figure-value", null, number(entries.length)),
          " ",
          t(isCut ? "entriesCut" : "entries", { count: entries.length }),
        ),
        timeChart(bars, t("activity")),
        !values.get().action && entries.length > 0 && [
          h("h3", null, t("frequent")),
          meters(tally(entries.map((it) => it.action)).slice(0, 6), t("frequent")),
        ],
      );
    },
  );
}
