// @ts-check
/** Words for the values of the API. */
import { t } from "./strings.js";

/** @import { SchoolMember } from "../../Types/api.d.ts" */

/** @type {Record<SchoolMember["role"], string>} */
export const SCHOOL_ROLES = { student: t("roleStudent"), instructor: t("roleInstructor"), staff: t("roleStaff") };
