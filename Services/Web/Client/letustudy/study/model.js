// @ts-check
/** What follows from the stored records: sets, cards, schedules, days of study. Followed like signals. */
import { computed } from "../../shared/signals.js";
import { dayTimes, ROLLOVER_HOUR, streak, studyDay, utcOffset } from "./days.js";
import { DEFAULTS, newMemory, scheduler } from "./scheduler.js";

/** @import { Store } from "../sync/store.js" */
/** @import { LocalRecord } from "../sync/record.js" */
/** @import { Memory, Review } from "./scheduler.js" */

/** @typedef {{ media: string, side?: "front" | "back", name?: string }} Attachment */
/**
 * @typedef {{ id: string, set: string, front: string, back: string, tags: string[], attachments: Attachment[],
 *   position: string, record: LocalRecord }} Card
 */
/** @typedef {{ id: string, title: string, description: string, tags: string[], changedAt: number, record: LocalRecord }} StudySet */
/**
 * An entry of a log, with its local day, which was fixed when it happened.
 * @typedef {{ id: string, kind: "cards" | "review" | "quiz" | "course", at: number, milliseconds: number, offset: number,
 *   day: number, set?: string, card?: string, rating?: 1 | 2 | 3 | 4, fields: Record<string, any> }} Entry
 */

/** The plain values of a record's fields. @param {LocalRecord} record @returns {Record<string, any>} */
export const valuesOf = (record) =>
  Object.fromEntries(Object.entries(record.view?.fields ?? {}).map(([name, { value }]) => [name, value]));

/** @param {unknown} value */
const textOf = (value) => typeof value === "string" ? value : "";

/** @typedef {ReturnType<typeof studyModel>} StudyModel */

/** @param {Store} store */
export function studyModel(store) {
  const settings = computed(() => {
    const record = store.find("studySettings", store.user);
    const chosen = record ? valuesOf(record) : {};
    const weights = chosen.weights?.algorithm === "fsrs" && chosen.weights?.version === 6
      ? chosen.weights.w
      : undefined;
    return {
      ...DEFAULTS,
      newCardsPerDay: 20,
      rolloverHour: ROLLOVER_HOUR,
      ...chosen,
      weights: /** @type {number[]} */ (weights ?? DEFAULTS.weights),
    };
  });
  const by = computed(() => scheduler(settings.get()));

  const sets = computed(() =>
    [...store.all("sets").values()].filter((it) => it.view && !it.view.isDeleted).map((record) => {
      const { title, description, tags } = valuesOf(record);
      return {
        id: record.id,
        title: textOf(title),
        description: textOf(description),
        tags: /** @type {string[]} */ (tags ?? []),
        changedAt: lastChange(record),
        record,
      };
    }).sort((a, b) => a.title.localeCompare(b.title))
  );

  const cardsBySet = computed(() => {
    /** @type {Map<string, Card[]>} */
    const grouped = new Map();
    for (const record of store.all("cards").values()) {
      if (!record.view || record.view.isDeleted || !record.set) continue;
      const { front, back, tags, attachments, position } = valuesOf(record);
      const card = {
        id: record.id,
        set: record.set,
        front: textOf(front),
        back: textOf(back),
        tags: tags ?? [],
        attachments: attachments ?? [],
        position: textOf(position),
        record,
      };
      const others = grouped.get(record.set);
      if (others) others.push(card);
      else grouped.set(record.set, [card]);
    }
    const order = (/** @type {string} */ a, /** @type {string} */ b) => a < b ? -1 : a > b ? 1 : 0;
    for (const cards of grouped.values()) cards.sort((a, b) => order(a.position, b.position) || order(a.id, b.id));
    return grouped;
  });

  const reviewsByCard = computed(() => {
    /** @type {Map<string, Review[]>} */
    const grouped = new Map();
    for (const { id, card, at, rating } of entriesOf("reviews").get()) {
      if (!card || !rating) continue;
      const others = grouped.get(card);
      if (others) others.push({ id, at, rating });
      else grouped.set(card, [{ id, at, rating }]);
    }
    return grouped;
  });

  // schedules are kept while the reviews of their cards stay the same in number
  /** @type {Map<string, { count: number, by: unknown, memory: Memory }>} */
  const known = new Map();
  /** @param {string} card */
  function memoryOf(card) {
    const reviews = reviewsByCard.get().get(card) ?? [];
    const scheduled = by.get();
    const entry = known.get(card);
    if (entry && entry.count === reviews.length && entry.by === scheduled) return entry.memory;
    const memory = reviews.length > 0 ? scheduled.replay(reviews, card) : newMemory(card);
    known.set(card, { count: reviews.length, by: scheduled, memory });
    return memory;
  }

  /** @type {Map<string, import("../../shared/signals.js").Computed<Entry[]>>} */
  const logs = new Map();
  /** @param {"reviews" | "studySessions" | "quizResults"} collection */
  function entriesOf(collection) {
    let log = logs.get(collection);
    if (!log) {
      /** @type {Map<string, Entry>} */
      const made = new Map();
      log = computed(() => {
        const records = store.all(collection);
        for (const id of made.keys()) if (!records.has(id)) made.delete(id);
        for (const record of records.values()) if (!made.has(record.id)) made.set(record.id, entryOf(record));
        return [...made.values()].sort((a, b) => a.at - b.at);
      });
      logs.set(collection, log);
    }
    return log;
  }

  const entries = computed(
    () => [...entriesOf("reviews").get(), ...entriesOf("studySessions").get(), ...entriesOf("quizResults").get()],
  );
  const days = computed(() => dayTimes(entries.get()));

  const lastStudied = computed(() => {
    /** @type {Map<string, number>} */
    const times = new Map();
    for (const { set, at } of entries.get()) if (set) times.set(set, Math.max(at, times.get(set) ?? 0));
    return times;
  });

  const today = () => studyDay(store.now(), utcOffset(Date.now()), settings.get().rolloverHour);

  /** How many cards were seen for the first time today. */
  const learnedToday = computed(() => {
    let count = 0;
    for (const reviews of reviewsByCard.get().values()) {
      const first = Math.min(...reviews.map((it) => it.at));
      if (studyDay(first, utcOffset(first), settings.get().rolloverHour) === today()) count++;
    }
    return count;
  });

  /**
   * What is to be studied now: cards in learning, due ones, and some new ones, as many as the settings say for a day.
   * @param {Iterable<Card>} cards
   */
  function queue(cards) {
    const now = store.now();
    const [due, fresh] = [/** @type {{ card: Card, memory: Memory }[]} */ ([]), /** @type {Card[]} */ ([])];
    let laterToday = 0;
    const tomorrow = today() + 1;
    for (const card of cards) {
      const memory = memoryOf(card.id);
      if (memory.due === null) fresh.push(card);
      else if (memory.due <= now) due.push({ card, memory });
      else if (studyDay(memory.due, utcOffset(now), settings.get().rolloverHour) < tomorrow) laterToday++;
    }
    const overdue = (/** @type {Memory} */ { stage, due: at, lastReview }) =>
      stage === "review" ? (now - Number(at)) / Math.max(Number(at) - Number(lastReview), 1) : Infinity;
    due.sort((a, b) => {
      const [one, other] = [overdue(a.memory), overdue(b.memory)];
      return one !== other ? other - one : Number(a.memory.due) - Number(b.memory.due);
    });
    const left = Math.max(0, settings.get().newCardsPerDay - learnedToday.get());
    return { due: due.map((it) => it.card), fresh: fresh.slice(0, left), unseen: fresh.length, laterToday };
  }

  return {
    settings,
    scheduler: by,
    sets,
    cardsBySet,
    memoryOf,
    entries,
    entriesOf,
    days,
    lastStudied,
    today,
    queue,
    /** @param {string} id */
    cardsOf: (id) => cardsBySet.get().get(id) ?? [],
    /** @param {string} id */
    setOf: (id) => sets.get().find((it) => it.id === id),
    streak: computed(() => streak(days.get(), store.now(), utcOffset(Date.now()), settings.get().rolloverHour)),
  };
}

/** @param {LocalRecord} record */
function lastChange(record) {
  const versions = Object.values(record.view?.fields ?? {}).map((it) => it.version);
  return Math.max(0, ...versions.map((it) => parseInt(it.slice(0, 12) || "0", 16)));
}

/** @type {Record<string, Entry["kind"]>} */
const KINDS = { reviews: "review", quizResults: "quiz" };

/** @param {LocalRecord} record @returns {Entry} */
function entryOf(record) {
  const fields = valuesOf(record);
  const at = Date.parse(fields.at) || 0;
  const offset = Number(fields.utcOffsetMinutes) || 0;
  return {
    id: record.id,
    kind: KINDS[record.collection] ?? fields.function ?? "cards",
    at,
    milliseconds: Math.max(0, Number(fields.milliseconds) || 0),
    offset,
    day: studyDay(at, offset, fields.rolloverHour ?? ROLLOVER_HOUR),
    set: fields.set,
    card: fields.card,
    rating: [1, 2, 3, 4].includes(fields.rating) ? fields.rating : undefined,
    fields,
  };
}
