// @ts-check
/** The merge of records (docs/sync.md, "The merge"), with the same results as `Shared/SyncMerge/MergeChange.swift`. */
import { recordHash } from "./hash.js";
import { deviceOf, following, greatest, SERVER, versionOf } from "./version.js";
import { mergeTexts } from "./text-merge.js";

/** @typedef {{ value: any, version: string }} MergeField */
/** @typedef {{ field: string, text: string, version: string }} Variant */
/**
 * - `variants`: texts that lost against another edit, sorted by version
 * - `lifecycle`: the version of the last deletion or restoration
 * - `revision`: above everything in the record, when an edit has arrived that was older than something in it
 * @typedef {{ fields: Record<string, MergeField>, variants: Variant[], isDeleted: boolean, lifecycle: string,
 *   revision: string, hasLostEdits: boolean }} MergeRecord
 */
/**
 * - `seen`: the version of the record that the device knew from the server
 * @typedef {{ action: "put" | "delete" | "restore", version: string, seen?: string, fields?: Record<string, any>,
 *   base?: Record<string, any>, dismissed?: string[] }} Change
 */
/** @typedef {"applied" | "merged" | "textConflict" | "deleted" | "deletedUnseenEdits"} Outcome */

/** The fields whose concurrent edits are merged as text, with their greatest lengths in code points. */
export const MERGED_TEXTS = /** @type {Record<string, Record<string, number>>} */ ({
  sets: { title: 200, description: 5000 },
  cards: { front: 20_000, back: 20_000 },
  workouts: { note: 5000 },
});

/** @returns {MergeRecord} */
export const emptyRecord = () => ({
  fields: {},
  variants: [],
  isDeleted: false,
  lifecycle: "",
  revision: "",
  hasLostEdits: false,
});

/** Canonically equivalent texts are the same, as for the server. @param {string} a @param {string} b */
const isSameText = (a, b) => a === b || a.normalize() === b.normalize();

/** @param {any} a @param {any} b @returns {boolean} */
export function isEqual(a, b) {
  if (a === b) return true;
  if (typeof a === "string" && typeof b === "string") return isSameText(a, b);
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.keys(a), Object.keys(b)];
  return left.length === right.length && left.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

/** @param {any} value */
const valueHash = (value) => recordHash({ ...emptyRecord(), fields: { value: { value, version: "" } } }, "", "");

/**
 * Applies a change. The result does not depend on the device on which it is computed.
 * @param {MergeRecord} before
 * @param {Change} change
 * @param {Record<string, number>} [mergedTexts]
 * @returns {{ record: MergeRecord, outcome: Outcome }}
 */
export function applyChange(before, change, mergedTexts = {}) {
  const record = structuredClone(before);
  const isUnseen = hasUnseen(before, change);
  let outcome = change.action === "put"
    ? put(record, change, mergedTexts)
    : change.action === "delete"
    ? remove(record, change, isUnseen)
    : restore(record, change);
  if (outcome === "applied" && isUnseen) outcome = "merged";
  const version = versionOf(before);
  if (!isEqual(record, before) && versionOf(record) <= version) record.revision = following(version, SERVER);
  return { record, outcome };
}

/**
 * Whether the record has something of others that the author of the change did not know.
 * @param {MergeRecord} record
 * @param {Change} change
 */
function hasUnseen(record, { seen = "", version }) {
  const isUnseen = (/** @type {string} */ it) => it > seen && deviceOf(it) !== deviceOf(version);
  return record.revision > seen || isUnseen(record.lifecycle) ||
    Object.values(record.fields).some((it) => isUnseen(it.version)) ||
    record.variants.some((it) => isUnseen(it.version));
}

/**
 * @param {MergeRecord} record
 * @param {Change} change
 * @param {Record<string, number>} mergedTexts
 * @returns {Outcome}
 */
function put(record, change, mergedTexts) {
  /** @type {Outcome} */
  let outcome = "applied";
  record.variants = record.variants.filter((it) => !change.dismissed?.includes(it.version));
  const before = structuredClone({ fields: record.fields, variants: record.variants });
  for (const [name, value] of Object.entries(change.fields ?? {})) {
    if (!Object.hasOwn(record.fields, name)) {
      record.fields[name] = { value, version: change.version };
      continue;
    }
    const result = mergedTexts[name]
      ? mergeText(record, name, value, change, mergedTexts[name])
      : setLater(record, name, value, change.version);
    if (result === "textConflict" || (result === "merged" && outcome === "applied")) outcome = result;
  }
  if (!record.isDeleted) return outcome;
  // what a device has edited and then deleted itself is not lost
  const isOwn = change.version < record.lifecycle && deviceOf(change.version) === deviceOf(record.lifecycle);
  if (!isOwn && !isEqual(before, { fields: record.fields, variants: record.variants })) record.hasLostEdits = true;
  return "deleted";
}

/**
 * The last writer wins.
 * @param {MergeRecord} record
 * @param {string} name
 * @param {any} value
 * @param {string} version
 * @returns {Outcome}
 */
function setLater(record, name, value, version) {
  const current = record.fields[name];
  if (version < current.version) return "merged";
  if (version === current.version) {
    // not of a correct device; the greater value wins, so that the order of arrival does not matter
    if (isEqual(value, current.value)) return "applied";
    if (valueHash(value) <= valueHash(current.value)) return "merged";
  }
  record.fields[name] = { value, version };
  return "applied";
}

/**
 * @param {MergeRecord} record
 * @param {string} name
 * @param {any} value
 * @param {Change} change
 * @param {number} maxLength
 * @returns {Outcome}
 */
function mergeText(record, name, value, change, maxLength) {
  const { version, seen = "" } = change;
  const current = record.fields[name];
  const isText = typeof current.value === "string" && typeof value === "string";
  if (!isText || isSameText(current.value, value) || current.version === version) {
    return setLater(record, name, value, version);
  }
  const base = change.base?.[name];
  if (typeof base === "string") {
    if (isSameText(current.value, base) && version > current.version) return setLater(record, name, value, version);
    // a text that became a variant meanwhile is replaced by an edit of it; it is no base of the current text
    const isEdited = (/** @type {Variant} */ it) =>
      it.field === name && isSameText(it.text, base) && it.version < version;
    const kept = record.variants.filter((it) => !isEdited(it));
    const isOfVariant = kept.length < record.variants.length;
    record.variants = kept;
    const text = isOfVariant ? null : mergeTexts(base, current.value, value);
    if (text && [...text].length <= maxLength) {
      record.fields[name] = { value: text, version: following(greatest(current.version, version), SERVER) };
      return "merged";
    }
  } else if (deviceOf(current.version) === deviceOf(version) || greatest(current.version, record.revision) <= seen) {
    return setLater(record, name, value, version);
  }
  const [winner, loser] = version > current.version ? [{ value, version }, current] : [current, { value, version }];
  record.fields[name] = winner;
  addVariant(record, { field: name, text: loser.value, version: loser.version });
  return "textConflict";
}

/**
 * @param {MergeRecord} record
 * @param {Variant} variant
 */
function addVariant(record, variant) {
  if (record.variants.some((it) => isEqual(it, variant))) return;
  const at = record.variants.findIndex((it) => it.version > variant.version);
  record.variants.splice(at < 0 ? record.variants.length : at, 0, variant);
}

/**
 * @param {MergeRecord} record
 * @param {Change} change
 * @param {boolean} isUnseen
 * @returns {Outcome}
 */
function remove(record, { version }, isUnseen) {
  if (record.isDeleted) {
    record.lifecycle = greatest(record.lifecycle, version);
    return "applied";
  }
  // someone has restored the record since
  if (version <= record.lifecycle) return "merged";
  Object.assign(record, { isDeleted: true, lifecycle: version, hasLostEdits: isUnseen });
  return isUnseen ? "deletedUnseenEdits" : "applied";
}

/**
 * @param {MergeRecord} record
 * @param {Change} change
 * @returns {Outcome}
 */
function restore(record, { version }) {
  if (version <= record.lifecycle) return "merged";
  Object.assign(record, { isDeleted: false, lifecycle: version, hasLostEdits: false });
  return "applied";
}
