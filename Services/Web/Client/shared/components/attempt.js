// @ts-check
/** Actions that have no place of their own for an error, such as those of menus. */
import { problemText } from "./states.js";
import { toast } from "./toast.js";

/** @import { State } from "../signals.js" */

/** Shows a notice if `action` fails, other than because its page was left. @param {() => Promise<unknown>} action */
export async function attempt(action) {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) toast(problemText(error), { kind: "error" });
  }
}

/**
 * Shows a value at once, and the former one again if `action` fails.
 * @template T
 * @param {State<T>} shown
 * @param {T} value
 * @param {() => Promise<unknown>} action
 */
export function changeAtOnce(shown, value, action) {
  const before = shown.get();
  shown.set(value);
  return attempt(() =>
    action().catch((error) => {
      shown.set(before);
      throw error;
    })
  );
}
