// @ts-check
/** Offers a price for a license, inside the conversation with the seller. */
import { call } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { form } from "../../shared/components/form.js";
import { isOn } from "../../shared/features.js";
import { money } from "../../shared/language.js";
import { withLocalizedProblem } from "../../shared/problems.js";
import { go } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";
import { licenseName } from "./listings.js";

/** @import { Listing } from "../../../Types/api.d.ts" */

/** @param {Listing} listing @param {string} [known] the conversation that is open already */
export function makeOffer(listing, known) {
  const { currency } = listing.price;
  const options = listing.licenses.filter((it) => it.price.amount > 0);
  return openDialog({
    title: t("makeOffer"),
    build: (close) =>
      h(
        "div.stack",
        null,
        h("p.soft", null, t("offerHint", { name: listing.name })),
        form({
          fields: [
            {
              name: "license",
              label: t("license"),
              kind: "select",
              options: options.map((it) => ({ value: it.kind, label: `${licenseName(it.kind)} · ${money(it.price)}` })),
            },
            { name: "amount", label: t("yourOffer"), kind: "money", currency, required: true },
            {
              name: "hours",
              label: t("validFor"),
              kind: "select",
              value: "48",
              options: [24, 48, 72, 168].map((it) => ({ value: String(it), label: t("hours", { count: it }) })),
            },
            // a price alone is still offered
            ...(isOn("messages")
              ? [{
                name: "message",
                label: t("messageOptional"),
                kind: "textarea",
                props: { rows: 2, maxlength: 1000 },
              }]
              : []),
          ],
          submit: t("sendOffer"),
          oncancel: () => close(),
          onsubmit: async ({ license, amount, hours, message }, { key }) => {
            const conversationID = known ??
              (await call("POST /v1/conversations", { body: { userID: listing.ownerID, listingID: listing.id } })).id;
            const body = { listingID: listing.id, license, amount, hours: Number(hours), message, conversationID };
            await withLocalizedProblem(call("POST /v1/offers", { body }, { key }), t);
            close();
            if (!known) await go(`/messages/${conversationID}`);
          },
        }),
      ),
  });
}
