// @ts-check
/** Icons as lines of 24 by 24; decoration, so what they mean is also in a text. */
import { h } from "../view.js";

const PATHS = {
  add: "M12 5v14M5 12h14",
  archive: "M3 4h18v4H3zM5 8v12h14V8M10 12h4",
  back: "M19 12H5M12 19l-7-7 7-7",
  bell: "M18 9a6 6 0 0 0-12 0c0 6-3 8-3 8h18s-3-2-3-8M13.7 21a2 2 0 0 1-3.4 0",
  block: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M5.6 5.6l12.8 12.8",
  book: "M4 5a2 2 0 0 1 2-2h14v18H6a2 2 0 0 1-2-2zM4 19a2 2 0 0 1 2-2h14",
  calendar: "M4 5h16v16H4zM4 10h16M8 3v4M16 3v4",
  card: "M3 5h18v14H3zM3 10h18M7 15h3",
  cart: "M3 4h2l2.6 12h10.8L21 8H6M9 20.5h.01M18 20.5h.01",
  chart: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  chat: "M21 12a8 8 0 0 1-8 8H4l2.3-2.6A8 8 0 1 1 21 12",
  check: "M5 13l4 4L19 7",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 2",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  download: "M12 4v11M7 10l5 5 5-5M4 20h16",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  error: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8v5M12 16.5h.01",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
  filter: "M4 6h16M7 12h10M10 18h4",
  flag: "M5 21V4h13l-2.5 4.5L18 13H5",
  fullscreen: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  gavel: "M14 5l5 5M10.5 8.5l5 5M12 3l-5 5 7 7 5-5M9.5 12.5L3 19l2 2 6.5-6.5M13 21h8",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18",
  grid: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z",
  heart: "M12 20S3 14.5 3 8.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 9 1.5C21 14.5 12 20 12 20",
  home: "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
  image: "M4 4h16v16H4zM4 16l5-5 4 4 3-3 4 4M15 8.5h.01",
  inbox: "M4 4h16v16H4zM4 14h5l1 2h4l1-2h5",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5M12 7.5h.01",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8M11 12l9-9M16 7l3 3",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  lock: "M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4",
  mail: "M3 5h18v14H3zM3 7l9 6 9-6",
  map: "M12 21s-7-6-7-11a7 7 0 0 1 14 0c0 5-7 11-7 11M12 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
  menu: "M4 6h16M4 12h16M4 18h16",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  music: "M9 18V5l11-2v13M6 15a3 3 0 1 0 0 6 3 3 0 0 0 0-6M17 13a3 3 0 1 0 0 6 3 3 0 0 0 0-6",
  next: "M9 5l7 7-7 7",
  pause: "M8 5v14M16 5v14",
  people: "M9 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M2 20a7 7 0 0 1 14 0M16 4.5a4 4 0 0 1 0 7.5M18 14a7 7 0 0 1 4 6",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 20a8 8 0 0 1 16 0",
  play: "M7 5v14l12-7z",
  previous: "M15 5l-7 7 7 7",
  refresh: "M20 11a8 8 0 0 0-14.5-4L3 9.5M3 4v5.5h5.5M4 13a8 8 0 0 0 14.5 4l2.5-2.5M21 20v-5.5h-5.5",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l5 5",
  send: "M4 12l17-8-6 17-3-7zM12 14l9-10",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5a2 2 0 1 0 0 4 2 2 0 0 0 0-4M8 15a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
  share: "M12 15V4M7 8l5-4 5 4M5 13v7h14v-7",
  shield: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z",
  shop: "M4 9l1-5h14l1 5M4 9v11h16V9M4 9a2.7 2.7 0 0 0 5.3 0 2.7 2.7 0 0 0 5.4 0 2.7 2.7 0 0 0 5.3 0M10 20v-5h4v5",
  signout: "M10 4H4v16h6M15 8l4 4-4 4M19 12H9",
  star: "M12 3l2.7 6 6.3.700-4.7 4.3 1.3 6.5L12 17.3 6.4 20.5l1.3-6.5L3 9.7 9.3 9z",
  sun:
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  tag: "M3 12V4h8l10 10-8 8zM7.5 8h.01",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  upload: "M12 20V9M7 14l5-5 5 5M4 4h16",
  video: "M3 6h12v12H3zM15 10l6-3v10l-6-3",
  volume: "M4 9h4l5-4v14l-5-4H4zM16.5 9a4 4 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11",
  dumbbell: "M6 7v10M3 9.5v5M18 7v10M21 9.5v5M6 12h12",
};

/** @typedef {keyof typeof PATHS} IconName */

/** Icons that point somewhere, and turn with the direction of the text. */
const DIRECTED = new Set(["back", "next", "previous", "send", "signout", "external"]);

/** @param {IconName} name */
export const icon = (name) =>
  h(
    `svg.icon${DIRECTED.has(name) ? ".directed" : ""}`,
    { viewBox: "0 0 24 24", "aria-hidden": "true" },
    h("path", { d: PATHS[name] }),
  );
