// @ts-check
/** Random numbers that are the same on the server and on every device for the same seed: SplitMix64. */

const MASK = (1n << 64n) - 1n;
const encoder = new TextEncoder();

/** @param {bigint} seed */
export function seededRandom(seed) {
  let state = seed & MASK;
  const next = () => {
    state = state + 0x9e3779b97f4a7c15n & MASK;
    let mixed = state;
    mixed = (mixed ^ mixed >> 30n) * 0xbf58476d1ce4e5b9n & MASK;
    mixed = (mixed ^ mixed >> 27n) * 0x94d049bb133111ebn & MASK;
    return mixed ^ mixed >> 31n;
  };
  /** A number from 0 up to but not including `bound`. @param {number} bound */
  const below = (bound) => Number(next() * BigInt(Math.max(bound, 1)) >> 64n);
  /** @template T @param {T[]} elements */
  const shuffled = (elements) => {
    const result = [...elements];
    for (let index = result.length - 1; index > 0; index--) {
      const other = below(index + 1);
      [result[index], result[other]] = [result[other], result[index]];
    }
    return result;
  };
  return { below, shuffled };
}

/**
 * FNV-1a over a text, a zero byte, and a number as eight bytes, the least significant first.
 * @param {string} text
 * @param {number} number
 */
export function stableHash(text, number) {
  const digits = new DataView(new ArrayBuffer(8));
  digits.setBigUint64(0, BigInt(number), true);
  let hash = 0xcbf29ce484222325n;
  for (const byte of [...encoder.encode(text), 0, ...new Uint8Array(digits.buffer)]) {
    hash = (hash ^ BigInt(byte)) * 0x100000001b3n & MASK;
  }
  return hash;
}
