// @ts-check
import { on } from "../../../shared/realtime.js";
import { renewSession } from "../../../shared/session.js";

/**
 * Keeps what is shown of plans up to date; what they unlock is in the session's token (docs/plans.md).
 * @param {() => Promise<unknown>} reload
 */
export function followPlans(reload) {
  on("entitlement.changed", () => renewSession().catch(() => {}));
  on(["plan.changed", "plan.invited", "resync"], () => reload().catch(() => {}));
}
