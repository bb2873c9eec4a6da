// @ts-check
/** A small figure on which the muscles of an exercise are marked. */
import { h } from "../../shared/view.js";

/** @import { Exercise } from "../../../Types/api.d.ts" */

/** Shapes on 60 by 100, as seen from the front; muscles of the back lie behind. @type {Record<Exercise["muscle"], string[]>} */
const SHAPES = {
  neck: ["M27 17h6v5h-6z"],
  shoulders: ["M17 23a5 5 0 1 1 0 8z", "M43 23a5 5 0 1 0 0 8z"],
  chest: ["M20 24h9v9h-7z", "M31 24h9l-2 9h-7z"],
  back: ["M19 23h22l-4 20H23z"],
  lowerBack: ["M24 42h12v9H24z"],
  abs: ["M26 34h8v16h-8z"],
  obliques: ["M22 35h3.500v14L23 47z", "M38 35h-3.500v14l2.500-2z"],
  biceps: ["M13 31h5l-1 10h-5z", "M47 31h-5l1 10h5z"],
  triceps: ["M12 31h6l-1 10h-6z", "M48 31h-6l1 10h6z"],
  forearms: ["M11 43h5l-1 11h-4z", "M49 43h-5l1 11h4z"],
  hips: ["M22 50h16v6H22z"],
  glutes: ["M21 50h8.500v9H21z", "M30.500 50h8.500v9h-8.500z"],
  quads: ["M21 59h8l-1 17h-5z", "M39 59h-8l1 17h5z"],
  hamstrings: ["M21.500 60h7l-1 15h-4.500z", "M38.500 60h-7l1 15h4.500z"],
  calves: ["M23 78h5l-1 14h-3z", "M37 78h-5l1 14h3z"],
  fullBody: ["M17 23h26l-5 28v40h-6l-2-30-2 30h-6V51z"],
};

const BODY =
  "M30 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14M27 17v4l-10 2c-4 1-5 4-5 8l-2 24h5l3-20v15l2 10 2 34h6l2-30 2 30h6l2-34 " +
  "2-10V36l3 20h5l-2-24c0-4-1-7-5-8l-10-2v-4z";

/**
 * @param {Exercise["muscle"]} main
 * @param {Exercise["muscle"][]} [others]
 */
export const bodyMap = (main, others = []) =>
  h(
    "svg.body-map",
    { viewBox: "0 0 60 100", "aria-hidden": "true" },
    h("path.body-shape", { d: BODY }),
    others.flatMap((it) => SHAPES[it] ?? []).map((d) => h("path.muscle-minor", { d })),
    (SHAPES[main] ?? []).map((d) => h("path.muscle-main", { d })),
  );
