// @ts-check
/** What a member may do in a course. */

/** @import { Course } from "../../../../Types/api.d.ts" */

/** @param {Course} course */
export const teaches = (course) => course.role !== "student";

/** Archived courses are read only. @param {Course} course */
export const isActive = (course) => course.state === "active";

/** @param {Course} course */
export const mayTeach = (course) => teaches(course) && isActive(course);
