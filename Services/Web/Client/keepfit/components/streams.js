// @ts-check
/** Live workouts: their state and time, and cards of them. */
import { avatar } from "../../shared/components/picture.js";
import { serverNow } from "../../shared/clock.js";
import { date, relative, time } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { word } from "../words.js";

/** @import { Livestream } from "../../../Types/api.d.ts" */

/** @type {Record<Livestream["state"], { label: "streamLive" | "streamScheduled" | "streamEnded" | "streamCreating" | "streamFailed", look: string }>} */
const STATES = {
  live: { label: "streamLive", look: "is-live" },
  scheduled: { label: "streamScheduled", look: "is-accent" },
  creating: { label: "streamCreating", look: "" },
  ended: { label: "streamEnded", look: "" },
  failed: { label: "streamFailed", look: "is-danger" },
};

/** @param {Livestream} stream */
export const streamChip = ({ state }) => h("span.chip", { class: STATES[state].look }, t(STATES[state].label));

/** "Today, 18:00, 60 min". @param {Livestream} stream */
export function streamTime({ startsAt, minutes, state }) {
  const start = Date.parse(startsAt);
  if (state === "live") return t("since", { time: relative(startsAt, serverNow()) });
  const isSoon = Math.abs(start - serverNow()) < 12 * 3_600_000;
  const day = isSoon
    ? relative(startsAt, serverNow())
    : date(startsAt, { weekday: "short", day: "numeric", month: "short" });
  return t("streamTime", { day, time: time(startsAt), minutes });
}

/** @param {Livestream} stream */
export const streamCard = (stream) =>
  h(
    "a.card.stream-card",
    { href: link(`/explore/live/${stream.id}`) },
    h(
      "span.row",
      null,
      streamChip(stream),
      stream.workoutType && h("span.chip", null, word("workoutType", stream.workoutType)),
    ),
    h("span.post-title", null, stream.title),
    h("span.soft.small-text", null, streamTime(stream)),
    h(
      "span.person-row",
      null,
      avatar(stream.host, { size: "small" }),
      h("span.small-text", null, stream.host?.displayName ?? t("someone")),
    ),
  );
