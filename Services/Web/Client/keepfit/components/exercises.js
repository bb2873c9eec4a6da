// @ts-check
/** Cards of exercises. */
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { bodyMap } from "./body-map.js";
import { t } from "../screen-strings.js";
import { word } from "../words.js";

/** @import { Exercise } from "../../../Types/api.d.ts" */

/** @param {Exercise} exercise */
export const exerciseCard = ({ id, name, muscle, secondaryMuscles, equipment, level, isSaved }) =>
  h(
    "a.card.exercise-card",
    { href: link(`/explore/exercises/${id}`) },
    bodyMap(muscle, secondaryMuscles),
    h(
      "span.grow",
      null,
      h("span.post-title", null, name),
      h(
        "span.soft.small-text",
        null,
        t("exerciseFacts", { muscle: word("muscle", muscle), level: word("exerciseLevel", level) }),
      ),
      h("span.soft.small-text", null, equipment === "none" ? t("noEquipment") : word("equipment", equipment)),
    ),
    isSaved && h("span.shared-sign", { role: "img", "aria-label": t("saved") }, icon("check")),
  );
