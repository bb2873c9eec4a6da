// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { toast } from "../../shared/components/toast.js";
import { uploadField } from "../../shared/components/uploader.js";
import { go, link } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h } from "../../shared/view.js";
import { bodyDetails, bodyFields, updateAccount } from "../components/personal-data.js";
import { hasHealthConsent, healthConsentNotice } from "../components/health-consent.js";
import { t } from "../screen-strings.js";
import { loadWords } from "../words.js";

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ signal }) {
  const [account, consents] = await Promise.all([
    call("GET /v1/users/me", {}, { signal }),
    call("GET /v1/users/me/consents", {}, { signal }),
    loadWords(),
  ]);
  return { account, hasConsent: hasHealthConsent(consents) };
}

/** @param {Awaited<ReturnType<typeof load>>} data */
export default function editProfileScreen({ account, hasConsent }) {
  const { details, version } = account;
  /** @param {any} values */
  async function save({ displayName, username, bio, photo, ...body }) {
    const changed = hasConsent ? bodyDetails(body) : { gender: body.gender, fitnessLevel: body.fitnessLevel };
    await updateAccount(
      { displayName, username, details: { bio: bio ?? null, photo: photo ?? null, ...changed } },
      version,
    );
    toast(t("savedChanges"), { kind: "success" });
    await go("/profile?tab=data", { replace: true });
  }
  const health = ["birthday", "weightGrams", "heightMillimetres"];
  return h(
    "div.stack.narrow",
    null,
    h("p", null, h("a.back-link", { href: link("/profile") }, icon("back"), t("profile"))),
    h("h1", null, t("editProfile")),
    !hasConsent && healthConsentNotice(),
    h(
      "div.card",
      null,
      form({
        fields: [
          uploadField({ name: "photo", label: t("photo"), accept: "image/*", kind: "image", value: details.photo }),
          {
            name: "displayName",
            label: t("name"),
            value: account.displayName,
            required: true,
            props: { autocomplete: "name", maxlength: 60 },
          },
          {
            name: "username",
            label: t("username"),
            value: account.username,
            required: true,
            props: { autocomplete: "username", autocapitalize: "none", maxlength: 30 },
          },
          { name: "bio", label: t("bio"), kind: "textarea", value: details.bio, props: { maxlength: 1000 } },
          ...bodyFields(details).filter((it) => hasConsent || !health.includes(it.name)),
        ],
        submit: text("save"),
        oncancel: () => go("/profile"),
        onsubmit: save,
      }),
    ),
  );
}
