// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { go, link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { listingFields, tagsOf } from "../components/listing-form.js";
import { forget } from "../components/listings.js";
import { t } from "../screen-strings.js";

/** @import { Listing } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ params: { id }, signal }) => call("GET /v1/listings/{id}", { id }, { signal });

/** @param {Listing} listing */
export default function editListingScreen(listing) {
  const { id } = listing;
  return h(
    "div.stack.prose",
    null,
    h(
      "header",
      null,
      h("p", null, h("a", { href: link(`/listings/${id}`) }, listing.name)),
      h("h1", null, t("editListing")),
    ),
    h(
      "div.card",
      null,
      form({
        fields: listingFields(listing),
        submit: t("saveChanges"),
        oncancel: () => void go(`/listings/${id}`),
        onsubmit: async ({ tags, description, ...values }) => {
          const body = { ...values, description: description ?? null, tags: tagsOf(tags) };
          await call("PATCH /v1/listings/{id}", { id, body }, { version: listing.version });
          forget(id);
          toast(t("saved"), { kind: "success" });
          await go(`/listings/${id}`, { replace: true });
        },
      }),
    ),
  );
}
