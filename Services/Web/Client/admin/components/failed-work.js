// @ts-check
/** What failed for good in the background, service by service, and how it is tried again. */
import { toast } from "../../shared/components/toast.js";
import { empty } from "../../shared/components/states.js";
import { listing } from "../../shared/language.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { Child } from "../../shared/view.js" */

/**
 * A card for each service that has something to show.
 * @template {{ service: string }} Part
 * @param {{ services: Part[], unavailable: string[] }} answer
 * @param {{ isEmpty: (part: Part) => boolean, content: (part: Part) => Child, nothing: { title: string, message: string } }} options
 */
export function byService({ services, unavailable }, { isEmpty, content, nothing }) {
  const shown = services.filter((it) => !isEmpty(it));
  return h(
    "div.stack",
    null,
    unavailable.length > 0 && h("p.notice", { role: "status" }, t("servicesAway", { services: listing(unavailable) })),
    shown.length === 0 && empty({ icon: "check", ...nothing }),
    shown.map((it) => h("section.card.stack", null, h("h2", null, it.service), content(it))),
  );
}

/**
 * @param {string} label
 * @param {Node[]} lines
 */
export const lines = (label, lines) =>
  h("ul.rows", { role: "list", "aria-label": label }, lines.map((it) => h("li", null, it)));

/** @param {{ count: number }} answer */
export const showRetried = ({ count }) => toast(t("retried", { count }), { kind: "success" });
