// @ts-check
/** Points, which the platform counts in hundredths. */
import { number } from "../../../shared/language.js";
import { t } from "./strings.js";

/** @param {number} hundredths */
export const pointsOf = (hundredths) => hundredths / 100;

/** "12.5". @param {number} hundredths */
export const pointText = (hundredths) => number(pointsOf(hundredths));

/** "12.5 of 20". @param {number} hundredths @param {number} max */
export const pointsOfMax = (hundredths, max) => t("pointsOf", { points: pointText(hundredths), max: pointText(max) });

/** What was typed into a field of points. @param {number} points */
export const toHundredths = (points) => Math.round(points * 100);

/** The attributes of such a field. @param {number} max in hundredths */
export const pointProps = (max) => ({ min: 0, max: pointsOf(max), step: 0.01, inputmode: "decimal" });
