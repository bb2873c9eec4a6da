// @ts-check
/**
 * When cards come again: FSRS-6 (open-spaced-repetition, "The Algorithm"), as `Shared/StudyModel/Scheduling` has it, so
 * that a device and the server make the same schedule of the same reviews.
 */
import { seededRandom, stableHash } from "./random.js";

/** 1 again, 2 hard, 3 good, 4 easy. @typedef {1 | 2 | 3 | 4} Rating */
/** @typedef {{ id: string, at: number, rating: Rating }} Review */
/** @typedef {"new" | "learning" | "review" | "relearning"} Stage */
/**
 * What follows from the reviews of a card. `stability`: days after which the probability of recall is 90 %. Times are in
 * milliseconds since 1970.
 * @typedef {{ card: string, stage: Stage, step: number | null, stability: number, difficulty: number, due: number | null,
 *   lastReview: number | null, reviews: number, lapses: number }} Memory
 */
/**
 * - `learningSteps`, `relearningSteps`: in seconds
 * - `maximumInterval`: in days
 * @typedef {{ weights: number[], desiredRetention: number, learningSteps: number[], relearningSteps: number[],
 *   maximumInterval: number, fuzz: boolean }} SchedulerSettings
 */

const SECOND = 1000;
export const DAY = 86_400_000;

/** @type {SchedulerSettings} */
export const DEFAULTS = {
  weights: [
    0.212,
    1.2931,
    2.3065,
    8.2956,
    6.4133,
    0.8334,
    3.0194,
    0.001,
    1.8722,
    0.1666,
    0.796,
    1.4835,
    0.0614,
    0.2629,
    1.6483,
    0.6014,
    1.8729,
    0.5425,
    0.0912,
    0.0658,
    0.1542,
  ],
  desiredRetention: 0.9,
  learningSteps: [60, 600],
  relearningSteps: [600],
  maximumInterval: 36_500,
  fuzz: true,
};

/** @param {string} card @returns {Memory} */
export const newMemory = (card) => ({
  card,
  stage: "new",
  step: null,
  stability: 0,
  difficulty: 0,
  due: null,
  lastReview: null,
  reviews: 0,
  lapses: 0,
});

/** Half to even, as the server rounds. @param {number} value */
function round(value) {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}

/** @param {number} low @param {number} value @param {number} high */
const clamp = (low, value, high) => Math.min(Math.max(value, low), high);

/** @typedef {ReturnType<typeof scheduler>} Scheduler */

/** @param {Partial<SchedulerSettings>} [chosen] */
export function scheduler(chosen = {}) {
  const settings = { ...DEFAULTS, ...chosen };
  const { weights: w, desiredRetention, learningSteps, relearningSteps, maximumInterval, fuzz } = settings;
  const decay = -w[20];
  const factor = 0.9 ** (1 / decay) - 1;

  /** @param {number} days @param {number} stability */
  const recallAfter = (days, stability) => (1 + factor * days / stability) ** decay;
  /** @param {Rating} rating */
  const initialDifficulty = (rating) => w[4] - Math.exp(w[5] * (rating - 1)) + 1;

  /** @param {Memory} memory @param {Rating} rating @param {number} days */
  function nextStability({ stability, difficulty }, rating, days) {
    if (days < 1) {
      const increase = Math.exp(w[17] * (rating - 3 + w[18])) * stability ** -w[19];
      return stability * (rating > 1 ? Math.max(increase, 1) : increase);
    }
    const recall = recallAfter(days, stability);
    if (rating > 1) {
      const increase = Math.exp(w[8]) * (11 - difficulty) * stability ** -w[9] * (Math.exp((1 - recall) * w[10]) - 1);
      return stability * (1 + increase * (rating === 2 ? w[15] : 1) * (rating === 4 ? w[16] : 1));
    }
    const long = w[11] * difficulty ** -w[12] * ((stability + 1) ** w[13] - 1) * Math.exp((1 - recall) * w[14]);
    return Math.min(long, stability / Math.exp(w[17] * w[18]));
  }

  /** @param {number} difficulty @param {Rating} rating */
  function nextDifficulty(difficulty, rating) {
    const change = -w[6] * (rating - 3);
    return w[7] * initialDifficulty(4) + (1 - w[7]) * (difficulty + (10 - difficulty) * change / 9);
  }

  /** Enters intervals of days; milliseconds until the card is due. @param {Memory} memory */
  function graduate(memory) {
    Object.assign(memory, { stage: "review", step: null });
    const ideal = memory.stability / factor * (desiredRetention ** (1 / decay) - 1);
    const days = clamp(1, round(ideal), maximumInterval);
    return DAY * (fuzz ? fuzzed(days, maximumInterval, memory.card, memory.reviews) : days);
  }

  /** Moves through the steps; milliseconds until the card is due. @param {Memory} memory @param {Rating} rating @param {number[]} steps */
  function advance(memory, rating, steps) {
    const step = memory.step ?? 0;
    if (steps.length === 0 || (step >= steps.length && rating > 1)) return graduate(memory);
    if (rating === 1) {
      memory.step = 0;
      return steps[0] * SECOND;
    }
    if (rating === 2) {
      memory.step = step;
      if (step > 0) return steps[step] * SECOND;
      // halfway to the second step, or half as long again
      return Math.floor((steps.length > 1 ? steps[0] + steps[1] : 3 * steps[0]) * SECOND / 2);
    }
    if (rating === 4 || step + 1 >= steps.length) return graduate(memory);
    memory.step = step + 1;
    return steps[step + 1] * SECOND;
  }

  /**
   * The memory after a review.
   * @param {Memory} memory
   * @param {Rating} rating
   * @param {number} at
   * @returns {Memory}
   */
  function review(memory, rating, at) {
    const isNew = memory.stage === "new";
    const days = memory.lastReview === null ? 0 : Math.max(0, Math.floor((at - memory.lastReview) / DAY));
    const next = { ...memory, reviews: memory.reviews + 1, lastReview: at };
    const stability = isNew ? w[rating - 1] : nextStability(memory, rating, days);
    next.stability = clamp(0.001, stability, 1e100);
    next.difficulty = clamp(1, isNew ? initialDifficulty(rating) : nextDifficulty(memory.difficulty, rating), 10);
    let wait;
    if (memory.stage === "review") {
      if (rating === 1) next.lapses++;
      if (rating === 1 && relearningSteps.length > 0) {
        Object.assign(next, { stage: "relearning", step: 0 });
        wait = relearningSteps[0] * SECOND;
      } else wait = graduate(next);
    } else {
      const isRelearning = memory.stage === "relearning";
      next.stage = isRelearning ? "relearning" : "learning";
      wait = advance(next, rating, isRelearning ? relearningSteps : learningSteps);
    }
    next.due = at + wait;
    return next;
  }

  return {
    settings,
    review,
    /**
     * The memory that follows from all reviews of a card, in the order of their times, whatever order they arrive in.
     * @param {Review[]} reviews each id once
     * @param {string} card
     */
    replay: (reviews, card) =>
      reviews.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
        .reduce((memory, it) => review(memory, it.rating, it.at), newMemory(card)),
    /** The probability that the card is recalled; 0 for a new card. @param {Memory} memory @param {number} at */
    retrievability: (memory, at) =>
      memory.lastReview === null
        ? 0
        : recallAfter(Math.max(0, Math.floor((at - memory.lastReview) / DAY)), memory.stability),
  };
}

/**
 * A small change of intervals, so that cards learned together do not stay together; the same on every device.
 * @param {number} days
 * @param {number} maximum
 * @param {string} card
 * @param {number} reviews
 */
function fuzzed(days, maximum, card, reviews) {
  if (days < 2.5) return days;
  let delta = 1;
  for (const [start, end, share] of [[2.5, 7, 0.15], [7, 20, 0.1], [20, Infinity, 0.05]]) {
    delta += share * Math.max(Math.min(days, end) - start, 0);
  }
  const longest = Math.min(round(days + delta), maximum);
  const shortest = Math.min(Math.max(2, round(days - delta)), longest);
  return shortest + seededRandom(stableHash(card, reviews)).below(longest - shortest + 1);
}
