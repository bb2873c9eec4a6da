// @ts-check
import { call } from "../../shared/api.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { withLocalizedProblem } from "../../shared/problems.js";
import { hasAccount, reloadUser, user } from "../../shared/session.js";
import { h, state } from "../../shared/view.js";
import { t } from "../strings.js";

/** Subscribe, confirm, unsubscribe: the codes are in the e-mails, for who does not use their links. */
export default function newsletterScreen() {
  const isSent = state(false);
  const person = hasAccount() ? user.get() : null;

  async function subscribe(/** @type {{ name: string, email: string }} */ body) {
    const isOwn = person !== null && body.email === person.email;
    await call(isOwn ? "POST /v1/newsletter/subscriptions/mine" : "POST /v1/newsletter/subscriptions", { body });
    isSent.set(true);
  }

  async function confirm(/** @type {{ token: string }} */ body) {
    await withLocalizedProblem(call("POST /v1/newsletter/confirm", { body }), t);
    isSent.set(false);
    toast(t("subscribedNow"), { kind: "success" });
    if (person) await reloadUser();
  }

  async function unsubscribe(/** @type {{ token: string }} */ { token }) {
    const body = /** @type {const} */ ({ "List-Unsubscribe": "One-Click" });
    await withLocalizedProblem(call("POST /v1/newsletter/unsubscribe", { token, body }), t);
    toast(t("unsubscribedNow"), { kind: "success" });
    if (person) await reloadUser();
  }

  const leave = async () => {
    await call("DELETE /v1/newsletter/subscriptions/mine");
    await reloadUser();
    toast(t("unsubscribedNow"), { kind: "success" });
  };

  const subscribed = () =>
    h(
      "section.card.stack",
      null,
      h("h2.row", null, icon("check"), t("youAreSubscribed")),
      h("p.soft", null, t("youAreSubscribedHint", { email: user.get()?.email ?? "" })),
      h("p", null, actionButton({ label: t("unsubscribe"), icon: "close", run: leave })),
    );

  const subscription = () =>
    h(
      "section.card.stack",
      null,
      h("h2", null, t("subscribe")),
      form({
        fields: [
          {
            name: "name",
            label: t("name"),
            value: person?.displayName,
            required: true,
            props: { autocomplete: "name", maxlength: 100 },
          },
          {
            name: "email",
            label: t("email"),
            kind: "email",
            value: person?.email,
            required: true,
            props: { autocomplete: "email" },
          },
        ],
        submit: t("subscribe"),
        onsubmit: subscribe,
      }),
    );

  return h(
    "div.stack.narrow",
    null,
    h("header", null, h("h1", null, t("newsletter")), h("p.soft", null, t("newsletterIntro"))),
    () => hasAccount() && user.get()?.isSubscribed ? subscribed() : subscription(),
    h(
      "div",
      { "aria-live": "polite" },
      () => isSent.get() && h("p.notice.row", null, icon("mail"), t("confirmationSent")),
    ),
    () => isSent.get() && codeForm(t("confirmTitle"), t("confirmHint"), t("confirmSubscription"), confirm),
    h(
      "details.card.more",
      null,
      h("summary", null, t("haveCode")),
      h(
        "div.stack",
        null,
        () => !isSent.get() && codeForm(t("confirmTitle"), t("confirmHint"), t("confirmSubscription"), confirm),
        codeForm(t("unsubscribe"), t("unsubscribeHint"), t("unsubscribe"), unsubscribe),
      ),
    ),
  );
}

/**
 * @param {string} title
 * @param {string} hint
 * @param {string} submit
 * @param {(values: { token: string }) => Promise<void>} onsubmit
 */
const codeForm = (title, hint, submit, onsubmit) =>
  h(
    "section.stack.code-form",
    null,
    h("h2", null, title),
    form({
      fields: [{
        name: "token",
        label: t("code"),
        hint,
        required: true,
        props: { autocomplete: "off", spellcheck: "false", autocapitalize: "none" },
      }],
      submit,
      onsubmit,
    }),
  );
