// @ts-check
import { call } from "../../shared/api.js";
import { gateway } from "../../shared/app.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { date, money } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { fileName } from "../components/license-offers.js";
import { cover, licenseName, listingOf, personLink } from "../components/listings.js";
import { t } from "../screen-strings.js";

/** @import { License, Listing } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ params: { id }, signal }) {
  const license = await call("GET /v1/licenses/{id}", { id }, { signal });
  return { license, listing: await listingOf(license.listingID) };
}

/** A license: its files and its terms. @param {{ license: License, listing: Listing | null }} loaded */
export default function licenseScreen({ license, listing }) {
  const { kind, status, price, grantedAt, expiresAt, terms, termsHash, orderID } = license;
  const isHolder = license.holderID === user.get()?.id;
  return h(
    "article.stack.prose",
    null,
    h(
      "header.room-head",
      null,
      cover(listing?.cover, { sizes: "160px", isUrgent: true }),
      h(
        "div.stack",
        null,
        h("p.eyebrow", null, licenseName(kind)),
        h("h1", null, listing?.name ?? t("goneListing")),
        h("p", null, personLink(listing?.owner)),
        h(
          "div.row",
          null,
          h("span.chip", { class: status === "active" ? "is-success" : "is-danger" }, t(status)),
          expiresAt && h("span.soft.small-text", null, t("until", { date: date(expiresAt) })),
        ),
      ),
    ),
    status === "active" && isHolder && h(
      "section.card.stack",
      { "aria-labelledby": "files" },
      h("h2", { id: "files" }, t("files")),
      h(
        "ul.rows.files",
        { role: "list" },
        license.files.map((file) =>
          h(
            "li",
            null,
            h(
              "div",
              null,
              icon("music"),
              h("strong.grow", null, fileName(file)),
              actionButton({
                label: t("download"),
                icon: "download",
                class: "primary",
                run: () => download(license, file),
                props: { "aria-label": t("downloadFile", { file: fileName(file) }) },
              }),
            ),
          )
        ),
      ),
    ),
    h(
      "section.card.stack",
      { "aria-labelledby": "terms" },
      h("h2", { id: "terms" }, t("terms")),
      h(
        "dl.facts",
        null,
        h("dt", null, t("grantedOn")),
        h("dd", null, date(grantedAt)),
        h("dt", null, t("price")),
        h("dd.number", null, price.amount === 0 ? t("free") : money(price)),
        license.priorLicenses > 0 && [h("dt", null, t("priorLicenses")), h("dd", null, String(license.priorLicenses))],
      ),
      h(
        "details",
        null,
        h("summary", null, t("fullTerms")),
        h("pre.terms-text", { tabindex: 0 }, terms),
        h("p.soft.small-text.hash", null, `SHA-256 ${termsHash}`),
      ),
      isHolder && h("p", null, h("a", { href: link(`/orders/${orderID}`) }, t("toOrder"))),
      listing && h("p", null, h("a", { href: link(`/listings/${listing.id}`) }, t("toListing"))),
    ),
  );
}

/**
 * Asks for the file's address, which is valid for minutes, and lets the browser save it.
 * @param {License} license
 * @param {License["files"][number]} file
 */
async function download({ id }, file) {
  const { url } = await call("GET /v1/licenses/{id}/download", { id, file });
  const address = new URL(url, location.origin);
  address.searchParams.set("download", "true");
  h("a", { href: gateway + address.pathname + address.search, download: true }).click();
}
