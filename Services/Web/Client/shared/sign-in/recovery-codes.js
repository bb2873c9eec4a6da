// @ts-check
/** Recovery codes, shown once. */
import { openDialog } from "../components/dialog.js";
import { actionButton } from "../components/form.js";
import { toast } from "../components/toast.js";
import { text } from "../text.js";
import { h } from "../view.js";
import { t } from "./strings.js";

/** @param {readonly string[]} codes */
export function showCodes(codes) {
  const copy = async () => {
    await navigator.clipboard.writeText(codes.join("\n"));
    toast(t("copied"), { kind: "success" });
  };
  return openDialog({
    title: t("newCodes"),
    build: (close) =>
      h(
        "div.stack",
        null,
        h("p", null, t("newCodesHint")),
        h("ul.row.notice", { role: "list" }, codes.map((it) => h("li", null, h("code", null, it)))),
        h(
          "div.form-actions",
          null,
          actionButton({ label: t("copy"), icon: "copy", run: copy }),
          h("button.button.primary", { type: "button", onclick: () => close() }, text("close")),
        ),
      ),
  });
}
