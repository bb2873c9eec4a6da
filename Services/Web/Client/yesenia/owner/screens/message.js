// @ts-check
import { call } from "../../../shared/api.js";
import { confirmDialog } from "../../../shared/components/dialog.js";
import { actionButton, form } from "../../../shared/components/form.js";
import { toast } from "../../../shared/components/toast.js";
import { dateTime } from "../../../shared/language.js";
import { go, link } from "../../../shared/router.js";
import { text } from "../../../shared/text.js";
import { h, state } from "../../../shared/view.js";
import { t } from "../strings.js";

/** @import { ContactMessage } from "../../../../Types/api.d.ts" */

/** @param {import("../../../shared/router.js").Visit} visit */
export const load = ({ params, signal }) => call("GET /v1/contact-messages/{id}", { id: params.id }, { signal });

/** @param {ContactMessage} loaded */
export default function messageScreen(loaded) {
  const letter = state(loaded);
  const { id } = loaded;
  const answer = async (/** @type {{ text: string }} */ body, /** @type {{ key: string }} */ { key }) => {
    letter.set(await call("POST /v1/contact-messages/{id}/answer", { id, body }, { key }));
    toast(t("answerSent"), { kind: "success" });
  };
  const setState = async (/** @type {ContactMessage["state"]} */ state) => {
    const { version } = letter.get();
    letter.set(await call("PATCH /v1/contact-messages/{id}", { id, body: { state } }, { version }));
  };
  const remove = async () => {
    if (!await confirmDialog({ title: t("deleteLetter"), confirm: text("delete"), isDangerous: true })) return;
    await call("DELETE /v1/contact-messages/{id}", { id });
    await go("/letters", { replace: true });
  };
  const reply = () => {
    const known = letter.get().answer;
    if (known) {
      return h(
        "section.card.stack",
        null,
        h("h2", null, t("yourAnswer")),
        h("p.soft.small-text", null, dateTime(known.at)),
        h("p.letter-text", null, known.text),
      );
    }
    return h(
      "section.card",
      null,
      form({
        fields: [{
          name: "text",
          label: t("yourAnswer"),
          kind: "textarea",
          required: true,
          hint: t("answerHint", { email: loaded.email }),
          props: { maxlength: 10000, rows: 6 },
        }],
        submit: t("sendAnswer"),
        onsubmit: answer,
      }),
    );
  };
  return h(
    "div.stack.prose",
    null,
    h(
      "header.page-header",
      null,
      h(
        "div",
        null,
        h("p.eyebrow", null, h("a", { href: link("/letters") }, t("letters"))),
        h("h1", null, loaded.subject),
        h("p.soft", null, `${loaded.firstName} ${loaded.lastName} · ${dateTime(loaded.receivedAt)}`),
      ),
      () => h("span.chip", { class: letter.get().state === "open" ? "is-accent" : "" }, t(letter.get().state)),
    ),
    h(
      "section.card.stack",
      null,
      h("p.letter-text", null, loaded.message),
      h("p", null, h("a", { href: `mailto:${loaded.email}` }, loaded.email)),
    ),
    reply,
    h(
      "p.row",
      null,
      () =>
        letter.get().state === "closed"
          ? actionButton({ label: t("reopen"), icon: "refresh", run: () => setState("open") })
          : actionButton({ label: t("close"), icon: "check", run: () => setState("closed") }),
      actionButton({ label: text("delete"), icon: "trash", class: "quiet dangerous", run: remove }),
    ),
  );
}
