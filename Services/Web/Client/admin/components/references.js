// @ts-check
/** What the audit trail calls people and objects: `user:01a2…`, `order:01b3…`, `audit`. */

/** Parts of a reference; objects such as `audit` have no id. @param {string} reference */
export function parseReference(reference) {
  const at = reference.indexOf(":");
  return at < 0 ? { kind: reference, id: "" } : { kind: reference.slice(0, at), id: reference.slice(at + 1) };
}

/** The end of an id, by which people distinguish them. @param {string} id */
export const shortID = (id) => /^[0-9a-f-]{36}$/i.test(id) ? id.slice(-8).toUpperCase() : id;
