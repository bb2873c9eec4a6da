// @ts-check
/** The merge in JavaScript against the vectors that `Tests/SyncMergeTests/MergeVectorTests.swift` reads as well. */
import assert from "node:assert/strict";
import { checksum, recordHash } from "../../../Services/Web/Client/letustudy/sync/hash.js";
import { applyChange, emptyRecord } from "../../../Services/Web/Client/letustudy/sync/merge.js";
import { between } from "../../../Services/Web/Client/letustudy/sync/position.js";
import { mergeTexts } from "../../../Services/Web/Client/letustudy/sync/text-merge.js";
import { clockCorrection, following, nextVersion } from "../../../Services/Web/Client/letustudy/sync/version.js";

const vectors = JSON.parse(await Deno.readTextFile(new URL("../../Fixtures/Vectors/sync.json", import.meta.url)));

Deno.test("texts are merged as on the server", () => {
  for (const { base, one, other, merged } of vectors.texts) {
    assert.equal(mergeTexts(base, one, other), merged, JSON.stringify({ base, one, other }));
    assert.equal(mergeTexts(base, other, one), merged);
  }
});

Deno.test("histories of records are merged as on the server", () => {
  for (const [number, history] of vectors.histories.entries()) {
    let record = emptyRecord();
    for (const [step, { change, outcome, record: expected, hash }] of history.entries()) {
      const result = applyChange(record, change, { front: 120, back: 40 });
      record = result.record;
      const label = `history ${number}, step ${step}`;
      assert.deepEqual(record, expected, label);
      assert.equal(result.outcome, outcome, label);
      const id = "01890a5d-ac96-774b-bcce-b302099a8057";
      assert.equal(recordHash(record, "cards", id).toString(16).padStart(16, "0"), hash, label);
    }
  }
});

Deno.test("wrong clocks are corrected as on the server", () => {
  for (const { now, deviceTime, operations } of vectors.clocks) {
    const correct = clockCorrection(now, deviceTime);
    for (const [version, seen, expected] of operations) assert.equal(correct(version, seen), expected);
  }
});

Deno.test("the hashes are those of docs/sync.md", () => {
  const version = "0199a1b2c3d4-0001-9f8e7d6c5b4a3210";
  const field = (/** @type {any} */ value, at = version) => ({ value, version: at });
  const card = {
    ...emptyRecord(),
    fields: {
      front: field("aqua"),
      back: field("water", "0199a1b2d0a0-0000-1f2e3d4c5b6a7980"),
      tags: field(["noun"]),
      weight: field(1.5),
    },
    variants: [{ field: "back", text: "eau", version }],
  };
  const other = { ...emptyRecord(), fields: { front: field("ignis") } };
  const hashes = [
    recordHash(card, "cards", "01890a5d-ac96-774b-bcce-b302099a8057"),
    recordHash(other, "cards", "01890a5d-ac96-774b-bcce-b302099a8058"),
  ];
  assert.deepEqual(hashes.map((it) => it.toString(16)), ["ce2ebbf4f7034372", "90b014ec7024d747"]);
  assert.deepEqual(checksum(hashes), { count: 2, sum: "5eded0e167281ab9" });
});

Deno.test("versions grow, also when the clock goes back or the counter is used up", () => {
  const device = "9f8e7d6c5b4a3210";
  assert.equal(nextVersion("", 0x0199a1b2c3d4, device), `0199a1b2c3d4-0000-${device}`);
  assert.equal(nextVersion(`0199a1b2c3d4-0000-${device}`, 5, device), `0199a1b2c3d4-0001-${device}`);
  assert.equal(following(`0199a1b2c3d4-ffff-${device}`, device), `0199a1b2c3d5-0000-${device}`);
});

Deno.test("there is always a position between two others", () => {
  let positions = [between(null, null)];
  for (let round = 0; round < 400; round++) {
    const at = (round * 7919) % (positions.length + 1);
    const position = between(positions[at - 1] ?? null, positions[at] ?? null);
    positions = positions.toSpliced(at, 0, position);
    assert.ok(position.length <= 200 && /^[0-9a-z]+$/.test(position));
  }
  assert.deepEqual(positions.toSorted(), positions);
  assert.equal(new Set(positions).size, positions.length);
  // those of other clients
  const foreign = between("A1", "A2");
  assert.ok("A1" < foreign && foreign < "A2", foreign);
});
