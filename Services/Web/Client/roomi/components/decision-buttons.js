// @ts-check
import { icon } from "../../shared/components/icon.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/**
 * The cross before the check mark.
 * @param {{ decide: (decision: "like" | "dislike") => void, before?: Node, after?: Node }} options
 */
export const decisionButtons = ({ decide, before, after }) =>
  h(
    "div.decisions",
    null,
    before,
    h("button.decision.is-pass", {
      type: "button",
      "aria-label": t("pass"),
      onclick: () => decide("dislike"),
    }, icon("close")),
    h("button.decision.is-like", {
      type: "button",
      "aria-label": t("like"),
      onclick: () => decide("like"),
    }, icon("check")),
    after,
  );
