// @ts-check
import { call } from "../../shared/api.js";
import { hasAccount } from "../../shared/session.js";
import { h, state } from "../../shared/view.js";
import { consentSection } from "../components/consents.js";
import { guardianSection } from "../components/guardian.js";
import { ownDataSection } from "../components/own-data.js";
import { schoolSection } from "../components/schools.js";
import { visibilitySection } from "../components/visibility.js";
import { t } from "../strings.js";

export async function load() {
  const [account, consents, purposes, guardian, schools] = await Promise.all([
    call("GET /v1/users/me"),
    call("GET /v1/users/me/consents"),
    call("GET /v1/consent-purposes"),
    call("GET /v1/users/me/guardian"),
    call("GET /v1/users/me/schools"),
  ]);
  return { account, consents: consents.current, purposes: purposes.items, guardian, schools: schools.items };
}

/**
 * Who sees what, what the user agrees to, and the data themselves.
 * @param {Awaited<ReturnType<typeof load>>} loaded
 */
export default function privacyScreen({ account, consents, purposes, guardian, schools }) {
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("privacy")),
    visibilitySection(account),
    consentSection(state(consents), purposes),
    guardianSection(state(guardian)),
    schools.length > 0 && schoolSection(state(schools)),
    hasAccount() && ownDataSection(account),
  );
}
