// @ts-check
/** What several screens show of listings. */
import { call } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { picture } from "../../shared/components/picture.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { License, Listing, ListingSummary, PublicName } from "../../../Types/api.d.ts" */

/** @type {Map<string, Promise<Listing | null>>} */
const known = new Map();

/**
 * A listing for its name and cover, which auctions and licenses do not carry; `null` when it is gone.
 * @param {string} id
 */
export function listingOf(id) {
  const found = known.get(id) ?? call("GET /v1/listings/{id}", { id }).catch(() => null);
  known.set(id, found);
  return found;
}

/** @param {string} id of a listing that has changed */
export const forget = (id) => void known.delete(id);

/** @type {Record<License["kind"], () => string>} */
const LICENSES = {
  lease: () => t("lease"),
  unlimited: () => t("unlimited"),
  exclusive: () => t("exclusive"),
  free: () => t("free"),
};

/** @param {License["kind"]} kind */
export const licenseName = (kind) => LICENSES[kind]();

/** @param {ListingSummary["kind"]} kind */
export const kindName = (kind) => t(kind === "beat" ? "beat" : "open");

/** @param {PublicName | undefined} person */
export const personName = (person) => person?.displayName ?? t("someone");

/**
 * The name of a person with a link to the profile.
 * @param {PublicName | undefined} person
 */
export const personLink = (person) =>
  person
    ? h("a.person-link", { href: link(`/people/${person.id}`) }, person.displayName)
    : h("span", null, t("someone"));

/**
 * The cover; a note where there is none.
 * @param {string | undefined} id
 * @param {{ sizes: string, class?: string, isUrgent?: boolean }} options
 */
export const cover = (id, options) =>
  id
    ? picture(id, { alt: "", ...options })
    : h("span.picture.no-cover", { class: options.class ?? "", "aria-hidden": "true" }, icon("music"));

/**
 * The cover as a link that is decoration: the name beside it is the link that is read.
 * @param {Pick<ListingSummary, "id" | "cover">} listing
 * @param {string} sizes
 */
export const coverLink = (listing, sizes) =>
  h(
    "a.cover-link",
    { href: link(`/listings/${listing.id}`), tabindex: -1, "aria-hidden": "true" },
    cover(listing.cover, { sizes }),
  );

/** @param {Pick<ListingSummary, "kind" | "tags">} listing */
export const tagChips = ({ kind, tags }) =>
  h(
    "ul.tags",
    { role: "list", "aria-label": t("tags") },
    tags.map((tag) =>
      h("li", null, h("a.chip.tag", { href: link(kind === "beat" ? "/" : "/opens", { tag }) }, icon("tag"), tag))
    ),
  );
