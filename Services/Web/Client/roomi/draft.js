// @ts-check
/** What was typed in the set-up and is not saved yet, so that going back loses nothing. Kept in this page only. */
import { user } from "../shared/session.js";
import { profile, stagesOf } from "./profile.js";

/** @import { Stage, Stages } from "./profile.js" */

/** @type {{ person: string | undefined, stages: Stages }} */
let typed = { person: undefined, stages: {} };

/** @returns {Stages} what is saved, and over it what was typed later */
export function draft() {
  if (typed.person !== user.get()?.id) dropDraft();
  return { ...stagesOf(profile.get()), ...typed.stages };
}

/**
 * @param {Stage} stage
 * @param {any} values of its form
 */
export function keepDraft(stage, values) {
  typed = { person: user.get()?.id, stages: { ...draft(), [stage]: values } };
}

export function dropDraft() {
  typed = { person: user.get()?.id, stages: {} };
}
