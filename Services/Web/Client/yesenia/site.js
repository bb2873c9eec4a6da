// @ts-check
/** What the whole shop shows and seldom changes: the owner's links and address, and the product types. */
import { call } from "../shared/api.js";

/** @import { ProductType, Site } from "../../Types/api.d.ts" */

/**
 * A function that loads once; after a failure, again.
 * @template T
 * @param {() => Promise<T>} load
 * @returns {() => Promise<T>}
 */
function once(load) {
  /** @type {Promise<T> | undefined} */
  let known;
  return () => {
    known ??= load().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

/** @type {() => Promise<Site>} */
export const loadSite = once(() => call("GET /v1/site"));

/** @type {() => Promise<ProductType[]>} */
export const loadTypes = once(async () => (await call("GET /v1/product-types", { limit: 100 })).items);
