// @ts-check
/** The fields that a new and a changed listing have in common. */
import { uploadField } from "../../shared/components/uploader.js";
import { t } from "../screen-strings.js";
import { licenseFields } from "./license-fields.js";

/** @import { Listing } from "../../../Types/api.d.ts" */
/** @import { Field } from "../../shared/components/form.js" */

/** @param {Listing} [listing] @returns {Field[]} */
export const listingFields = (listing) => [
  uploadField({
    name: "audio",
    label: t("audioFile"),
    hint: listing ? t("audioKeepHint") : t("audioHint"),
    accept: "audio/*,.wav,.flac,.mp3,.m4a,.ogg",
    kind: "audio",
    required: !listing,
  }),
  uploadField({ name: "cover", label: t("cover"), hint: t("coverHint"), accept: "image/*", kind: "image" }),
  { name: "name", label: t("title"), value: listing?.name, required: true, props: { maxlength: 100 } },
  {
    name: "description",
    label: t("description"),
    kind: "textarea",
    value: listing?.description,
    props: { maxlength: 1000 },
  },
  {
    name: "tags",
    label: t("tags"),
    hint: t("tagsHint"),
    value: listing?.tags.join(", "),
    props: { autocapitalize: "none" },
  },
  licenseFields({ known: listing?.licenses, currency: listing?.price.currency ?? "USD" }),
  {
    name: "acceptsOffers",
    label: t("acceptsOffers"),
    hint: t("acceptsOffersHint"),
    kind: "checkbox",
    value: listing?.acceptsOffers ?? true,
  },
];

/** "Lo-Fi, soul" as `["lo-fi", "soul"]`. @param {string | undefined} text */
export const tagsOf = (
  text,
) => [...new Set((text ?? "").toLowerCase().split(/[,\s]+/).map((it) => it.replace(/^#/, "")).filter(Boolean))];
