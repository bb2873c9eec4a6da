// @ts-check
/** The consent of a guardian, for users below the age of digital consent of their country. */
import { call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { regionName } from "../../shared/language.js";
import { on } from "../../shared/realtime.js";
import { renewSession } from "../../shared/session.js";
import { text } from "../../shared/text.js";
import { t } from "../strings.js";
import { line, section } from "./section.js";

/** @import { GuardianStatus } from "../../../Types/api.d.ts" */
/** @import { State } from "../../shared/signals.js" */

/** @type {Record<GuardianStatus["state"], string>} */
const STATES = {
  notNeeded: t("guardianNotNeeded"),
  needed: t("guardianNeeded"),
  asked: t("guardianAsked"),
  given: t("guardianGiven"),
  refused: t("guardianRefused"),
  withdrawn: t("guardianWithdrawn"),
};

/** @param {State<GuardianStatus>} status */
export function guardianSection(status) {
  on("guardian.changed", async () => {
    status.set(await call("GET /v1/users/me/guardian"));
    await renewSession();
  });

  const ask = () =>
    openDialog({
      title: t("guardianAsk"),
      build: (close) =>
        form({
          fields: [{
            name: "email",
            label: t("guardianEmail"),
            kind: "email",
            hint: t("guardianHint"),
            required: true,
          }],
          submit: t("guardianAsk"),
          oncancel: () => close(),
          onsubmit: async (body) => {
            status.set(await call("POST /v1/users/me/guardian", { body }));
            close();
            toast(t("guardianMailed"), { kind: "success" });
          },
        }),
    });

  const chooseCountry = () =>
    openDialog({
      title: t("country"),
      build: (close) =>
        form({
          fields: [{
            name: "country",
            label: t("country"),
            hint: t("countryHint"),
            value: status.get().country,
            required: true,
            props: { maxlength: 2, autocapitalize: "characters", autocomplete: "country" },
          }],
          submit: text("save"),
          oncancel: () => close(),
          onsubmit: async ({ country }) => {
            status.set(await call("PUT /v1/users/me/country", { body: { country: country.toUpperCase() } }));
            close();
          },
        }),
    });

  return section(
    t("guardian"),
    null,
    () => {
      const { state, age } = status.get();
      const mayAsk = state === "needed" || state === "asked" || state === "refused" || state === "withdrawn";
      return line({
        title: STATES[state],
        detail: t("guardianAge", { age }),
        actions: mayAsk && actionButton({ label: t("guardianAsk"), class: "small primary", run: ask }),
      });
    },
    () => {
      const { country, state } = status.get();
      return line({
        title: t("country"),
        detail: country ? regionName(country) : t("none"),
        actions: (state === "notNeeded" || state === "given") &&
          actionButton({ label: t("change"), class: "small", run: chooseCountry }),
      });
    },
  );
}
