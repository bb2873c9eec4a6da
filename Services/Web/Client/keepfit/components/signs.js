// @ts-check
/** Line icons of the kinds of workouts and of reactions; decoration, so what they mean is also in a text. */
import { h } from "../../shared/view.js";

const PATHS = {
  ride: "M6 13a4 4 0 1 0 0 8 4 4 0 0 0 0-8M18 13a4 4 0 1 0 0 8 4 4 0 0 0 0-8M6 17l4-8h5l3 8M10 9l4 7M13 5h3",
  run:
    "M14 3.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3M5 11l4-3 4 1-2.500 5 4 3v4M10.500 14L9 17H4.500M13 9l2.500 3H19",
  walk: "M12 3a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3M8 12l1-3 3-1 2 3 3 1M12 8l-1 6 3 3v4M11 14l-2 7",
  swim:
    "M3 18c2 0 2 1.500 4.500 1.500S10 18 12 18s2 1.500 4.500 1.500S19 18 21 18M4 14l6-5 5 4M10 9l-2-3 4-2M18 8a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3",
  stretch: "M12 3a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3M12 8v6M5 7l7 2 7-2M12 14l-6 3M12 14l6 3M4 20h16",
  lift: "M6 7v10M3 9.500v5M18 7v10M21 9.500v5M6 12h12",
  burn:
    "M12 3c1 4 5 5.500 5 10.500A5 5 0 0 1 12 19a5 5 0 0 1-5-5.200c0-2 1-3.300 2-4.300.300 1.500 1 2 1.500 2.200C10.300 8 11 5.500 12 3",
  fight: "M8 4h6a4 4 0 0 1 4 4v5a3 3 0 0 1-3 3H9a3 3 0 0 1-3-3v-2H5V8a2 2 0 0 1 3-1.700M8 4v6M9 16v4h6v-4M12 4v5",
  climb: "M3 20h4v-4h4v-4h4V8h4V4h2",
  dance: "M13 3a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3M6 6l6 3 6-2M12 9l-1 5 4 2 1 5M11 14l-5 6",
  love: "M12 20S3 14.500 3 8.500A4.500 4.500 0 0 1 12 7a4.500 4.500 0 0 1 9 1.500C21 14.500 12 20 12 20",
  approve: "M4 11h3v9H4zM7 11l4-8a2 2 0 0 1 2.500 2.300L13 9h5a2 2 0 0 1 2 2.300l-1 6.700a2 2 0 0 1-2 2H7",
};

/** @typedef {keyof typeof PATHS} Sign */

/** @param {Sign} name */
export const sign = (name) =>
  h("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: PATHS[name] }));

/** @type {[RegExp, Sign][]} */
const KINDS = [
  [/cycling|bike|spinning/, "ride"],
  [/running|jogging/, "run"],
  [/walking|backpacking/, "walk"],
  [/swimming|stroke|water|rowing/, "swim"],
  [/yoga|pilates|stretching/, "stretch"],
  [/boxing|martial/, "fight"],
  [/stair|climbing/, "climb"],
  [/zumba|aerobics|jump/, "dance"],
  [/weights|kettlebell|squats|body-weight/, "lift"],
];

/** What a workout of a type looks like. @param {string} type */
export const workoutSign = (type) => sign(KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? "burn");
