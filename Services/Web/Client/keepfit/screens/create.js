// @ts-check
import { icon } from "../../shared/components/icon.js";
import { isOn } from "../../shared/features.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @type {{ path: string, icon: import("../../shared/components/icon.js").IconName, title: "startWorkout" | "uploadVideo" | "goLive", hint: "startWorkoutHint" | "uploadVideoHint" | "goLiveHint" }[]} */
const CHOICES = [
  { path: "/workouts/timer", icon: "clock", title: "startWorkout", hint: "startWorkoutHint" },
  { path: "/create/video", icon: "upload", title: "uploadVideo", hint: "uploadVideoHint" },
  { path: "/create/live", icon: "video", title: "goLive", hint: "goLiveHint" },
];

export default function createScreen() {
  return h(
    "div.stack",
    null,
    h("div", null, h("h1", null, t("createTitle")), h("p.soft", null, t("createIntro"))),
    h(
      "div.cards",
      null,
      () =>
        CHOICES.filter((it) => it.icon !== "upload" || isOn("uploads")).map((it) =>
          h(
            "a.card.create-card",
            { href: link(it.path) },
            h("span.empty-icon", null, icon(it.icon)),
            h("span.post-title", null, t(it.title)),
            h("span.soft.small-text", null, t(it.hint)),
          )
        ),
    ),
  );
}
