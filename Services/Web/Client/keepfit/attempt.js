// @ts-check
/** For actions of menus, which have no place of their own for an error. */
import { problemText } from "../shared/components/states.js";
import { toast } from "../shared/components/toast.js";

/** Shows a notice if `action` fails. @param {() => Promise<unknown>} action */
export async function attempt(action) {
  try {
    await action();
  } catch (error) {
    toast(problemText(error), { kind: "error" });
  }
}
