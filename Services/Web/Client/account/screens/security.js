// @ts-check
import { call } from "../../shared/api.js";
import { h, state } from "../../shared/view.js";
import { factorSections } from "../components/factors.js";
import { signInSection } from "../components/sign-in-data.js";
import { t } from "../strings.js";

/** @import { LinkedIdentity, SecondFactors } from "../../../Types/api.d.ts" */

export async function load() {
  const [factors, identities] = await Promise.all([call("GET /v1/auth/factors"), call("GET /v1/auth/identities")]);
  return { factors, identities: identities.items };
}

/**
 * How the user signs in.
 * @param {{ factors: SecondFactors, identities: LinkedIdentity[] }} loaded
 */
export default function securityScreen({ factors, identities }) {
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("security")),
    signInSection(state(identities)),
    factorSections(state(factors)),
  );
}
