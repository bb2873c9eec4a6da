// @ts-check
import { Problem } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { go } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { bodyDetails, bodyFields, decideOnHealthData, updateAccount } from "../components/personal-data.js";
import { postponeSetUp } from "../set-up.js";
import { t } from "../screen-strings.js";
import { loadWords } from "../words.js";

export const load = loadWords;

/** The form says it before anything is sent. */
const consentMissing = () =>
  new Problem({
    status: 422,
    code: "invalid-request",
    title: t("healthConsentMissing"),
    errors: [{ location: "body.consents", message: t("healthConsentMissing") }],
  });

/** Asks a new user once, so that calories can be computed. Everything may be left out. */
export default function setUpScreen() {
  const account = user.get();
  const later = () => {
    postponeSetUp();
    go("/", { replace: true });
  };
  /** @param {any} values */
  async function save(values) {
    const { consents, ...body } = values;
    const hasHealthData = body.weightGrams || body.heightMillimetres || body.birthday;
    if (hasHealthData && !consents) throw consentMissing();
    if (consents) await decideOnHealthData(true);
    await updateAccount({ details: bodyDetails(body) });
    await go("/", { replace: true });
  }
  return h(
    "div.set-up.stack",
    null,
    h("p.eyebrow", null, t("welcome", { name: account?.displayName ?? "" })),
    h("h1", null, t("setUpTitle")),
    h("p.soft", null, t("setUpIntro")),
    h(
      "div.card",
      null,
      form({
        fields: [
          ...bodyFields(account?.details ?? {}),
          { name: "consents", label: t("healthConsent"), hint: t("healthConsentHint"), kind: "checkbox" },
        ],
        submit: t("start"),
        onsubmit: save,
        footer: h("p.form-footer", null, h("button.button.quiet", { type: "button", onclick: later }, t("later"))),
      }),
    ),
  );
}
