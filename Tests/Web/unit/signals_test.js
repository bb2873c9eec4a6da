// @ts-check
import assert from "node:assert/strict";
import {
  computed,
  effect,
  flush,
  onCleanUp,
  Scope,
  state,
  untracked,
} from "../../../Services/Web/Client/shared/signals.js";

Deno.test("an effect runs at once, and again after what it has read has changed", () => {
  const count = state(1);
  /** @type {number[]} */
  const seen = [];
  effect(() => void seen.push(count.get()));
  count.set(2);
  count.set(3);
  assert.deepEqual(seen, [1]);
  flush();
  assert.deepEqual(seen, [1, 3]);
  count.set(3);
  flush();
  assert.deepEqual(seen, [1, 3]);
});

Deno.test("effects run by themselves at the end of the task", async () => {
  const count = state(1);
  let seen = 0;
  effect(() => void (seen = count.get()));
  count.set(2);
  await Promise.resolve();
  assert.equal(seen, 2);
});

Deno.test("a computed value is derived once, and no one sees it half changed", () => {
  const [first, last] = [state("Ada"), state("Byron")];
  let runs = 0;
  const name = computed(() => {
    runs++;
    return `${first.get()} ${last.get()}`;
  });
  const length = computed(() => name.get().length);
  /** @type {string[]} */
  const seen = [];
  effect(() => void seen.push(`${name.get()} ${length.get()}`));
  first.set("Grace");
  last.set("Hopper");
  flush();
  assert.deepEqual(seen, ["Ada Byron 9", "Grace Hopper 12"]);
  assert.equal(runs, 2);
});

Deno.test("an effect does not run when a computed value stays the same", () => {
  const count = state(1);
  const isMany = computed(() => count.get() > 10);
  let runs = 0;
  effect(() => {
    isMany.get();
    runs++;
  });
  count.set(5);
  flush();
  assert.equal(runs, 1);
  count.set(11);
  flush();
  assert.equal(runs, 2);
});

Deno.test("a computed value that nothing watches is right when it is read", () => {
  const count = state(1);
  const double = computed(() => count.get() * 2);
  assert.equal(double.get(), 2);
  count.set(4);
  assert.equal(double.get(), 8);
});

Deno.test("a computed value is right after it was watched and no longer is", () => {
  const count = state(1);
  const double = computed(() => count.get() * 2);
  const stop = effect(() => void double.get());
  stop();
  count.set(5);
  assert.equal(double.get(), 10);
  let seen = 0;
  effect(() => void (seen = double.get()));
  count.set(6);
  flush();
  assert.equal(seen, 12);
});

Deno.test("an effect depends only on what it has read last", () => {
  const [isOn, value] = [state(true), state(1)];
  let runs = 0;
  effect(() => {
    runs++;
    if (isOn.get()) value.get();
  });
  isOn.set(false);
  flush();
  value.set(2);
  flush();
  assert.equal(runs, 2);
});

Deno.test("clean-ups run before an effect runs again, and when it stops", () => {
  const count = state(1);
  /** @type {string[]} */
  const log = [];
  const stop = effect(() => {
    const it = count.get();
    onCleanUp(() => log.push(`inner ${it}`));
    return () => log.push(`outer ${it}`);
  });
  count.set(2);
  flush();
  assert.deepEqual(log, ["outer 1", "inner 1"]);
  stop();
  assert.deepEqual(log.slice(2), ["outer 2", "inner 2"]);
  count.set(3);
  flush();
  assert.equal(log.length, 4);
});

Deno.test("a scope ends the effects in it, also nested ones", () => {
  const count = state(1);
  let runs = 0;
  const scope = new Scope();
  scope.run(() =>
    effect(() => {
      effect(() => {
        count.get();
        runs++;
      });
    })
  );
  scope.dispose();
  count.set(2);
  flush();
  assert.equal(runs, 1);
});

Deno.test("an effect that fails does not keep others from running", () => {
  const count = state(1);
  let seen = 0;
  effect(() => {
    if (count.get() === 2) throw new Error("expected");
  });
  effect(() => void (seen = count.get()));
  count.set(2);
  assert.throws(flush, /expected/);
  flush();
  assert.equal(seen, 2);
});

Deno.test("untracked reads are no dependencies", () => {
  const count = state(1);
  let runs = 0;
  effect(() => {
    runs++;
    untracked(() => count.get());
  });
  count.set(2);
  flush();
  assert.equal(runs, 1);
});
