// @ts-check
import { base } from "../../shared/app.js";

/** The address of a page of the shop, which is another app than the owner's side. @param {string} path */
export const shopAddress = (path) => base.replace(/\/owner$/, "") + path;
