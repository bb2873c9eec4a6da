// @ts-check
/** Hashes of records, by which a device and the server find out that they have the same (docs/sync.md, "Checksums"). */

/** @import { MergeRecord } from "./merge.js" */

const encoder = new TextEncoder();
const MASK = (1n << 64n) - 1n;

/** FNV-1a with 64 bits in two halves, which is much faster than with BigInt; mixed at the end. */
export class ContentHash {
  #high = 0xcbf29ce4;
  #low = 0x84222325;

  /** @param {number} byte */
  byte(byte) {
    const low = (this.#low ^ byte) >>> 0;
    // times 0x100000001b3: the low part of the prime, and 1 << 40
    const product = low * 0x1b3;
    this.#high = (this.#high * 0x1b3 + Math.floor(product / 2 ** 32) + low * 256) % 2 ** 32;
    this.#low = product >>> 0;
  }

  /** The bytes of a text, and an end mark that UTF-8 does not have. @param {string} text */
  text(text) {
    for (const byte of encoder.encode(text)) this.byte(byte);
    this.byte(0xff);
  }

  /** Eight bytes, the most significant first. @param {string} digits hexadecimal */
  number(digits) {
    const padded = digits.padStart(16, "0");
    for (let at = 0; at < 16; at += 2) this.byte(parseInt(padded.slice(at, at + 2), 16));
  }

  /** @param {string} version */
  version(version) {
    for (const part of version ? version.split("-") : ["", "", ""]) this.number(part);
  }

  /** @param {any} value as in JSON */
  value(value) {
    if (value === null) this.byte(0);
    else if (value === false) this.byte(1);
    else if (value === true) this.byte(2);
    else if (typeof value === "number") {
      this.byte(3);
      const bytes = new DataView(new ArrayBuffer(8));
      bytes.setFloat64(0, value === 0 ? 0 : value);
      for (let at = 0; at < 8; at++) this.byte(bytes.getUint8(at));
    } else if (typeof value === "string") {
      this.byte(4);
      this.text(value);
    } else if (Array.isArray(value)) {
      this.byte(5);
      for (const it of value) this.value(it);
      this.byte(6);
    } else {
      this.byte(7);
      for (const name of Object.keys(value).sort(byBytes)) {
        this.text(name);
        this.value(value[name]);
      }
      this.byte(8);
    }
  }

  get result() {
    let hash = BigInt(this.#high) << 32n | BigInt(this.#low);
    hash = (hash ^ hash >> 33n) * 0xff51afd7ed558ccdn & MASK;
    hash = (hash ^ hash >> 33n) * 0xc4ceb9fe1a85ec53n & MASK;
    return hash ^ hash >> 33n;
  }
}

/**
 * The order of texts by their bytes in UTF-8, which is that of their code points.
 * @param {string} one
 * @param {string} other
 */
export function byBytes(one, other) {
  const [left, right] = [[...one], [...other]];
  const at = left.findIndex((it, index) => it !== right[index]);
  if (at < 0) return left.length - right.length;
  return at >= right.length ? 1 : /** @type {number} */ (left[at].codePointAt(0)) -
    /** @type {number} */ (right[at].codePointAt(0));
}

/**
 * The hash of what is visible of a record; entries of logs have no versions.
 * @param {MergeRecord} record
 * @param {string} collection
 * @param {string} id
 */
export function recordHash(record, collection, id) {
  const hash = new ContentHash();
  hash.text(collection);
  hash.text(id);
  hash.version(record.lifecycle);
  hash.byte(record.isDeleted ? 1 : 0);
  if (record.isDeleted) return hash.result;
  for (const name of Object.keys(record.fields).sort(byBytes)) {
    hash.text(name);
    hash.version(record.fields[name].version);
    hash.value(record.fields[name].value);
  }
  for (const variant of record.variants) {
    hash.byte(0xfe);
    hash.text(variant.field);
    hash.version(variant.version);
    hash.text(variant.text);
  }
  return hash.result;
}

/** The checksum of a collection. @param {bigint[]} hashes */
export const checksum = (hashes) => ({
  count: hashes.length,
  sum: (hashes.reduce((sum, it) => sum + it, 0n) & MASK).toString(16).padStart(16, "0"),
});
