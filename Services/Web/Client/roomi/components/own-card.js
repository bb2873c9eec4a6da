// @ts-check
import { user } from "../../shared/session.js";
import { age } from "../age.js";
import { t } from "../screen-strings.js";
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
