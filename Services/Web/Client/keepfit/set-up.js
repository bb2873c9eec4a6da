// @ts-check
/** Whether a new user is still to be asked for personal data. */
import { user } from "../shared/session.js";

const postponedKey = () => `quintet.keepfit.postponed.${user.get()?.id}`;

export function needsSetUp() {
  const details = user.get()?.details;
  return details !== undefined && !details.fitnessLevel && !localStorage.getItem(postponedKey());
}

export const postponeSetUp = () => localStorage.setItem(postponedKey(), "1");
