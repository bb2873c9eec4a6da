// @ts-check
import { h } from "../../shared/view.js";
import { t } from "../strings.js";

/** @import { ProductType } from "../../../Types/api.d.ts" */

/**
 * Chooses one product type, or all, by links.
 * @param {ProductType[]} types
 * @param {string | undefined} chosen
 * @param {(slug: string | undefined) => string} address
 */
export const typeChoice = (types, chosen, address) =>
  types.length > 0 && h(
    "nav.type-choice",
    { "aria-label": t("productTypes") },
    [{ slug: undefined, name: t("all") }, ...types].map((it) =>
      h("a.type-link", { href: address(it.slug), "aria-current": it.slug === chosen ? "true" : null }, it.name)
    ),
  );
