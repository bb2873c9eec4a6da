// @ts-check
import { call } from "../../shared/api.js";
import { form } from "../../shared/components/form.js";
import { toast } from "../../shared/components/toast.js";
import { askBeforeLeaving, go } from "../../shared/router.js";
import { text } from "../../shared/text.js";
import { h, onCleanUp } from "../../shared/view.js";
import { listingFields, tagsOf } from "../components/listing-form.js";
import { t } from "../screen-strings.js";

/** Puts a beat or an open up for sale. */
export default function newListingScreen() {
  let isChanged = false;
  onCleanUp(askBeforeLeaving(() => isChanged && text("leavePage")));
  return h(
    "div.stack.prose",
    null,
    h("header", null, h("h1", null, t("newListing")), h("p.soft", null, t("newListingIntro"))),
    h(
      "div.card",
      null,
      form({
        fields: [
          {
            name: "kind",
            label: t("kindOfListing"),
            kind: "select",
            options: [{ value: "beat", label: t("beatHint") }, { value: "open", label: t("openHint") }],
          },
          ...listingFields(),
        ],
        submit: t("publish"),
        onchange: () => isChanged = true,
        onsubmit: async ({ tags, ...values }, { key }) => {
          const listing = await call("POST /v1/listings", { body: { ...values, tags: tagsOf(tags) } }, { key });
          isChanged = false;
          toast(t("published"), { kind: "success" });
          await go(`/listings/${listing.id}`, { replace: true });
        },
      }),
    ),
  );
}
