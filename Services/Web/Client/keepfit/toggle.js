// @ts-check
/** A button that switches something on and off, and stays the same button, so that it keeps the focus. */
import { icon } from "../shared/components/icon.js";
import { problemText, spinner } from "../shared/components/states.js";
import { toast } from "../shared/components/toast.js";
import { h, state } from "../shared/view.js";

/** @import { IconName } from "../shared/components/icon.js" */

/**
 * @param {{ isOn: () => boolean, label: (isOn: boolean) => string, name?: (isOn: boolean) => string,
 *   icon: (isOn: boolean) => IconName, look?: (isOn: boolean) => string, run: (isOn: boolean) => Promise<unknown>,
 *   isHidden?: () => boolean }} options
 *   - `name`: for screen readers, where it says more than the label
 *   - `look`: the button's class
 */
export function toggleButton({ isOn, label, name, icon: sign, look, run, isHidden }) {
  const isBusy = state(false);
  const act = async () => {
    if (isBusy.get()) return;
    isBusy.set(true);
    try {
      await run(isOn());
    } catch (error) {
      toast(problemText(error), { kind: "error" });
    } finally {
      isBusy.set(false);
    }
  };
  return h(
    "button.button",
    {
      type: "button",
      class: look && (() => look(isOn())),
      hidden: isHidden,
      onclick: act,
      "aria-label": name && (() => name(isOn())),
      "aria-busy": () => String(isBusy.get()),
    },
    () => isBusy.get() ? spinner() : icon(sign(isOn())),
    () => label(isOn()),
  );
}
