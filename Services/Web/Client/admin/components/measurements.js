// @ts-check
/** What the services have measured in the last hour, as charts. */
import { call } from "../../shared/api.js";
import { buildField } from "../../shared/components/form.js";
import { failure, skeleton } from "../../shared/components/states.js";
import { listing, number, percent } from "../../shared/language.js";
import { h, onCleanUp, state } from "../../shared/view.js";
import { t } from "../strings.js";
import { timeChart } from "./chart.js";

/** @import { MetricsSample, PlatformMetrics } from "../../../Types/api.d.ts" */
/** @typedef {"rate" | "errors" | "latency" | "queue" | "commit"} Measure */

const MINUTE = 60_000;
const PERIOD = 15_000;

/** @param {number} seconds */
const milliseconds = (seconds) =>
  number(seconds * 1000, { style: "unit", unit: "millisecond", maximumFractionDigits: seconds < 0.01 ? 2 : 0 });

/** @param {readonly number[]} values */
const sum = (values) => values.reduce((a, b) => a + b, 0);

/** The highest of a duration that some samples have. @param {readonly (number | undefined)[]} values */
const highest = (values) => Math.max(0, ...values.map((it) => it ?? 0));

/** @type {Record<Measure, { label: () => string, of: (samples: MetricsSample[]) => number, format: (value: number) => string }>} */
export const MEASURES = {
  rate: {
    label: () => t("requestRate"),
    of: (samples) => sum(samples.map((it) => it.requests)) / Math.max(1, sum(samples.map((it) => it.seconds))),
    format: (value) => t("perSecond", { number: number(value, { maximumFractionDigits: 1 }) }),
  },
  errors: {
    label: () => t("errorRate"),
    of: (samples) => sum(samples.map((it) => it.errors)) / Math.max(1, sum(samples.map((it) => it.requests))),
    format: percent,
  },
  latency: {
    label: () => t("latency"),
    of: (samples) => highest(samples.map((it) => it.latency)),
    format: milliseconds,
  },
  queue: { label: () => t("queueTime"), of: (samples) => highest(samples.map((it) => it.queue)), format: milliseconds },
  commit: {
    label: () => t("commitTime"),
    of: (samples) => highest(samples.map((it) => it.commit)),
    format: milliseconds,
  },
};

/**
 * A bar for each minute of the hour before.
 * @param {readonly MetricsSample[]} samples
 * @param {(samples: MetricsSample[]) => number} of
 * @param {number} until
 */
export function minutes(samples, of, until) {
  const start = until - 60 * MINUTE;
  /** @type {MetricsSample[][]} */
  const parts = Array.from({ length: 60 }, () => []);
  for (const sample of samples) {
    parts[Math.floor((new Date(sample.at).getTime() - start) / MINUTE)]?.push(sample);
  }
  return parts.map((part, index) => ({ from: start + index * MINUTE, count: of(part) }));
}

/** Charts of one measure, a service each; loaded again as often as there are new samples. */
export function measurements() {
  const chosen = state(/** @type {Measure} */ ("rate"));
  const shown = state(/** @type {PlatformMetrics | null} */ (null));
  const error = state(/** @type {unknown} */ (null));
  const controller = new AbortController();
  const { element, read } = buildField({
    name: "measure",
    label: t("measure"),
    kind: "select",
    options: Object.entries(MEASURES).map(([value, { label }]) => ({ value, label: label() })),
    props: { oninput: () => chosen.set(read()) },
  });

  async function show() {
    try {
      shown.set(await call("GET /v1/admin/metrics", {}, { signal: controller.signal }));
      error.set(null);
    } catch (reason) {
      if (!controller.signal.aborted) error.set(reason);
    }
  }
  show();
  const timer = setInterval(show, PERIOD);
  onCleanUp(() => {
    clearInterval(timer);
    controller.abort();
  });

  /** @param {PlatformMetrics} metrics */
  const charts = ({ services, unavailable }) => {
    const { label, of, format } = MEASURES[chosen.get()];
    return h(
      "div.stack",
      null,
      unavailable.length > 0 &&
        h("p.notice", { role: "status" }, t("servicesAway", { services: listing(unavailable) })),
      h(
        "div.measurements",
        null,
        services.map(({ service, samples }) => {
          const bars = minutes(samples, of, Date.now());
          const last = samples.at(-1);
          return h(
            "div.stack",
            null,
            h("p.spread", null, h("strong", null, service), h("span.number", null, last ? format(of([last])) : "–")),
            timeChart(bars, `${label()}: ${service}`, format),
          );
        }),
      ),
    );
  };

  return h(
    "section.card.stack",
    null,
    h("h2", null, t("measurements")),
    h("p.soft", null, t("measurementsIntro")),
    element,
    () => {
      const metrics = shown.get();
      if (error.get()) return failure(error.get(), show);
      return metrics ? charts(metrics) : skeleton(2);
    },
  );
}
