// @ts-check
import { call } from "../api.js";
import { openDialog } from "../components/dialog.js";
import { form } from "../components/form.js";
import { toast } from "../components/toast.js";
import { h } from "../view.js";
import { t } from "./strings.js";

/** @import { Message } from "../../../Types/api.d.ts" */

const MOST_SHOWN = 8;

/**
 * Reports messages of the other side to support.
 * @param {string} conversation
 * @param {Message[]} messages of the other side, the latest last
 */
export async function report(conversation, messages) {
  const shown = messages.slice(-MOST_SHOWN);
  const boxes = shown.map((message, index) => ({
    message,
    box: h("input.check", { type: "checkbox", checked: index === shown.length - 1 }),
  }));
  const list = h(
    "div.report-messages",
    null,
    boxes.map(({ message, box }) => h("label", null, box, h("span", null, message.text ?? t("photo")))),
  );
  const chosen = () => boxes.filter(({ box }) => box.checked).map(({ message }) => message.id);
  const isSent = await openDialog({
    title: t("reportTitle"),
    build: (/** @type {(isSent?: boolean) => void} */ close) =>
      form({
        fields: [
          {
            name: "reason",
            label: t("reason"),
            kind: "select",
            options: [
              { value: "harassment", label: t("reasonHarassment") },
              { value: "spam", label: t("reasonSpam") },
              { value: "fraud", label: t("reasonFraud") },
              { value: "hate", label: t("reasonHate") },
              { value: "sexual", label: t("reasonSexual") },
              { value: "other", label: t("reasonOther") },
            ],
          },
          {
            name: "messageIDs",
            label: t("reportedMessages"),
            kind: "custom",
            element: list,
            read: chosen,
            check: () => chosen().length === 0 ? t("chooseMessage") : "",
          },
          { name: "comment", label: t("comment"), hint: t("optional"), kind: "textarea", props: { maxlength: 1000 } },
        ],
        submit: t("reportSend"),
        isDangerous: true,
        oncancel: () => close(),
        onsubmit: async (body, { key }) => {
          await call("POST /v1/conversations/{id}/reports", { id: conversation, body }, { key });
          close(true);
        },
      }),
  });
  if (isSent) toast(t("reported"), { kind: "success" });
}
