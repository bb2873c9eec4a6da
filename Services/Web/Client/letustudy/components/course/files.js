// @ts-check
import { icon } from "../../../shared/components/icon.js";
import { content } from "../../../shared/media.js";
import { h } from "../../../shared/view.js";
import { t } from "./strings.js";

/** What opens in a tab of its own. */
export const outside = { target: "_blank", rel: "noopener noreferrer" };

/** Files of an assignment, or of what was submitted. @param {readonly string[]} media */
export const files = (media) =>
  media.length > 0 &&
  h(
    "ul.stack",
    { role: "list", "aria-label": t("files") },
    media.map((id, index) =>
      h(
        "li",
        null,
        h("a.button.quiet", { href: content(id), ...outside }, icon("download"), t("fileOf", { number: index + 1 })),
      )
    ),
  );
