// @ts-check
/** Reports the newest messages of the other person to support. */
import { call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { t } from "../more-strings.js";

const REASONS = /** @type {const} */ (["spam", "harassment", "hate", "sexual", "fraud", "other"]);
const COUNT = 10;

/** @param {import("./talk.js").Talk} talk */
export async function report({ conversation, messages }) {
  const { id } = conversation.get();
  const messageIDs = messages.get()
    .filter((it) => it.authorID !== user.get()?.id && !it.isDeleted).slice(-COUNT).map((it) => it.id);
  if (messageIDs.length === 0) return toast(t("nothingToReport"));
  const isSent = await openDialog({
    title: t("report"),
    /** @param {(isSent?: boolean) => void} close */
    build: (close) =>
      h(
        "div.stack",
        null,
        h("p.soft", null, t("reportHint", { count: messageIDs.length })),
        form({
          fields: [
            {
              name: "reason",
              label: t("reason"),
              kind: "select",
              options: REASONS.map((it) => ({ value: it, label: t(`reason_${it}`) })),
            },
            { name: "comment", label: t("messageOptional"), kind: "textarea", props: { rows: 2, maxlength: 1000 } },
          ],
          submit: t("report"),
          isDangerous: true,
          oncancel: () => close(),
          onsubmit: async (values, { key }) => {
            await call("POST /v1/conversations/{id}/reports", { id, body: { messageIDs, ...values } }, { key });
            close(true);
          },
        }),
      ),
  });
  if (isSent) toast(t("reported"), { kind: "success" });
}
