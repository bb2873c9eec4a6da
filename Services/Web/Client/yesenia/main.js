// @ts-check
/**
 * Two apps share this page: the shop, and below `/owner` the owner's side. The latter signs in as staff do, because only
 * their sessions may administer (docs/security.md), so it has another session than the shop.
 */
const { dataset } = document.documentElement;
const ownerBase = `${dataset.base}/owner`;
const isOwnerSide = `${location.pathname}/`.startsWith(`${ownerBase}/`);
if (isOwnerSide) {
  dataset.app = "admin";
  dataset.base = ownerBase;
}
await (isOwnerSide ? import("./owner/start.js") : import("./shop.js"));

export {};
