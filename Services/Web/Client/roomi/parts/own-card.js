// @ts-check
import { user } from "../../shared/session.js";
import { t } from "../strings.js";
import { cardFace } from "./card-face.js";

/** @import { Stages } from "../profile.js" */

/** The user's card as others see it. @param {Stages} stages */
export function ownCard({ identity, about, preferences, photos }) {
  return cardFace({
    name: t("nameAge", { name: user.get()?.displayName ?? "", age: age(identity?.birthday ?? "") }),
    photo: photos?.card,
    lines: [preferences?.place?.city?.name, about?.school],
    chips: [],
  });
}

/**
 * Whole years.
 * @param {string} birthday
 * @param {Date} [today]
 */
export function age(birthday, today = new Date()) {
  const [year, month, day] = birthday.split("-").map(Number);
  const isBefore = today.getMonth() + 1 < month || (today.getMonth() + 1 === month && today.getDate() < day);
  return today.getFullYear() - year - (isBefore ? 1 : 0);
}
