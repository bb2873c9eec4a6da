// @ts-check
/** Whether a new user is still to be asked for personal data. */
import { user } from "../shared/session.js";

const postponedPlace = () => `quintet.keepfit.postponed.${user.get()?.id}`;

export function needsSetUp() {
  const details = user.get()?.details;
  return details !== undefined && !details.fitnessLevel && !localStorage.getItem(postponedPlace());
}

export const postponeSetUp = () => localStorage.setItem(postponedPlace(), "1");
