// @ts-check
/**
 * Values that know who depends on them, close to the shape of TC39's signals proposal: `State` is set, `Computed` is
 * derived when it is read, `effect` runs again after what it has read has changed.
 */

/** @typedef {{ invalidate(): void, sources: Map<Source, number>, isLive: boolean }} Observer */
/** @typedef {{ version: number, refresh(): void, watch(observer: Observer): void, unwatch(observer: Observer): void }} Source */

/** @type {Observer | null} */
let running = null;
/** @type {Set<Effect>} */
const queue = new Set();
let isScheduled = false;

/** @param {Source} source */
function track(source) {
  if (!running || running.sources.has(source)) return;
  running.sources.set(source, source.version);
  if (running.isLive) source.watch(running);
}

/**
 * Runs `body` as `observer`, which from then on depends on what `body` reads.
 * @template T
 * @param {Observer | null} observer
 * @param {() => T} body
 * @returns {T}
 */
function runAs(observer, body) {
  const outer = running;
  running = observer;
  try {
    return body();
  } finally {
    running = outer;
  }
}

/** @param {Observer} observer */
function hasChanged(observer) {
  for (const [source, seen] of observer.sources) {
    source.refresh();
    if (source.version !== seen) return true;
  }
  return false;
}

/** @param {Observer} observer */
function forgetSources(observer) {
  for (const source of observer.sources.keys()) source.unwatch(observer);
  observer.sources.clear();
}

/**
 * A value that can be set.
 * @template T
 */
export class State {
  /** @type {Set<Observer>} */
  #observers = new Set();
  version = 0;
  /** @type {T} */
  #value;

  /** @param {T} value */
  constructor(value) {
    this.#value = value;
  }

  /** @returns {T} */
  get() {
    track(this);
    return this.#value;
  }

  /** @param {T} value */
  set(value) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.version++;
    for (const observer of [...this.#observers]) observer.invalidate();
  }

  /** @param {(value: T) => T} change */
  update(change) {
    this.set(change(this.#value));
  }

  refresh() {}
  /** @param {Observer} observer */
  watch(observer) {
    this.#observers.add(observer);
  }
  /** @param {Observer} observer */
  unwatch(observer) {
    this.#observers.delete(observer);
  }
}

/**
 * A value that is derived from others. It watches them only while something watches it, so none needs to be disposed.
 * @template T
 */
export class Computed {
  /** @type {Set<Observer>} */
  #observers = new Set();
  /** @type {Map<Source, number>} */
  sources = new Map();
  version = 0;
  isLive = false;
  #isCertain = false;
  #derive;
  /** @type {T | undefined} */
  #value;

  /** @param {() => T} derive */
  constructor(derive) {
    this.#derive = derive;
  }

  /** @returns {T} */
  get() {
    this.refresh();
    track(this);
    return /** @type {T} */ (this.#value);
  }

  refresh() {
    if (this.#isCertain && this.isLive) return;
    if (this.version > 0 && !hasChanged(this)) {
      this.#isCertain = true;
      return;
    }
    forgetSources(this);
    const value = runAs(this, this.#derive);
    this.#isCertain = true;
    if (this.version > 0 && Object.is(value, this.#value)) return;
    this.#value = value;
    this.version++;
  }

  invalidate() {
    this.#isCertain = false;
    for (const observer of [...this.#observers]) observer.invalidate();
  }

  /** @param {Observer} observer */
  watch(observer) {
    this.#observers.add(observer);
    if (this.isLive) return;
    this.isLive = true;
    this.#isCertain = false;
    for (const source of this.sources.keys()) source.watch(this);
  }

  /** @param {Observer} observer */
  unwatch(observer) {
    this.#observers.delete(observer);
    if (this.#observers.size > 0) return;
    this.isLive = false;
    for (const source of this.sources.keys()) source.unwatch(this);
  }
}

class Effect {
  /** @type {Map<Source, number>} */
  sources = new Map();
  isLive = true;
  scope = new Scope();
  #body;

  /** @param {() => void | (() => void)} body */
  constructor(body) {
    this.#body = body;
    this.run();
  }

  run() {
    this.scope.dispose();
    forgetSources(this);
    this.scope = new Scope();
    const cleanUp = this.scope.run(() => runAs(this, this.#body));
    if (typeof cleanUp === "function") this.scope.add(cleanUp);
  }

  invalidate() {
    queue.add(this);
    if (isScheduled) return;
    isScheduled = true;
    queueMicrotask(flush);
  }

  stop() {
    queue.delete(this);
    forgetSources(this);
    this.scope.dispose();
  }
}

/** Runs the effects that wait; they run by themselves at the end of the task. */
export function flush() {
  try {
    for (const effect of queue) {
      queue.delete(effect);
      if (hasChanged(effect)) effect.run();
    }
  } finally {
    isScheduled = queue.size > 0;
    if (isScheduled) queueMicrotask(flush);
  }
}

/** @type {Scope | null} */
let currentScope = null;

/** What has to be undone when a part of a page is removed. */
export class Scope {
  /** @type {(() => void)[]} */
  #cleanUps = [];

  /** @param {() => void} cleanUp */
  add(cleanUp) {
    this.#cleanUps.push(cleanUp);
  }

  /**
   * Runs `body`; effects and clean-ups in it belong to this scope. What it reads concerns no effect around it.
   * @template T
   * @param {() => T} body
   * @returns {T}
   */
  run(body) {
    const outer = currentScope;
    currentScope = this;
    try {
      return body();
    } finally {
      currentScope = outer;
    }
  }

  dispose() {
    for (const cleanUp of this.#cleanUps.splice(0).reverse()) cleanUp();
  }
}

/**
 * Runs `body` now, and again when what it has read has changed. What it returns is called before it runs again, and
 * when the scope around it ends.
 * @param {() => void | (() => void)} body
 * @returns {() => void} stops it
 */
export function effect(body) {
  const instance = new Effect(body);
  const stop = () => instance.stop();
  currentScope?.add(stop);
  return stop;
}

/**
 * Calls `cleanUp` when the part of the page that is being built is removed.
 * @param {() => void} cleanUp
 */
export function onCleanUp(cleanUp) {
  currentScope?.add(cleanUp);
}

/**
 * Reads without depending on what is read.
 * @template T
 * @param {() => T} body
 * @returns {T}
 */
export function untracked(body) {
  return runAs(null, body);
}

/**
 * @template T
 * @param {T} value
 * @returns {State<T>}
 */
export const state = (value) => new State(value);

/**
 * @template T
 * @param {() => T} derive
 * @returns {Computed<T>}
 */
export const computed = (derive) => new Computed(derive);
