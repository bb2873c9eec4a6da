// @ts-check
/** How well cards are known (`Shared/StudyModel/Statistics/Mastery.swift`). */

/** @import { Memory, Scheduler } from "./scheduler.js" */
/** @typedef {"new" | "learning" | "young" | "mature"} Level */

/** Days of stability from which a card counts as mature. */
const MATURE = 21;

/** @param {Memory} memory @returns {Level} */
export function levelOf({ stage, stability }) {
  if (stage === "new") return "new";
  if (stage !== "review") return "learning";
  return stability >= MATURE ? "mature" : "young";
}

/** @param {Memory[]} memories */
export function levelCounts(memories) {
  const counts = { new: 0, learning: 0, young: 0, mature: 0 };
  for (const memory of memories) counts[levelOf(memory)]++;
  return counts;
}

/**
 * From 0 to 1: the mean of the probability of recall now, times how lasting the memory is.
 * @param {Memory[]} memories
 * @param {Scheduler} scheduler
 * @param {number} now
 */
export function mastery(memories, scheduler, now) {
  const values = memories.map((memory) => {
    if (memory.stage === "new") return 0;
    return scheduler.retrievability(memory, now) * Math.min(Math.log(1 + memory.stability) / Math.log(1 + MATURE), 1);
  });
  return values.length > 0 ? Math.min(values.reduce((sum, it) => sum + it, 0) / values.length, 1) : 0;
}
