// @ts-check
/** Entries of the menus of a course. */
import { confirmDialog } from "../../../shared/components/dialog.js";
import { problemText } from "../../../shared/components/states.js";
import { toast } from "../../../shared/components/toast.js";
import { text } from "../../../shared/text.js";

/** @import { MenuItem } from "../../../shared/components/menu.js" */
/** @import { IconName } from "../../../shared/components/icon.js" */

/** @param {unknown} error */
const show = (error) => toast(problemText(error), { kind: "error" });

/** @param {string} label @param {IconName} icon @param {() => Promise<unknown>} run @returns {MenuItem} */
export const action = (label, icon, run) => ({ label, icon, run: () => void run().catch(show) });

/**
 * What is asked about before it is done.
 * @param {{ title: string, message?: string, label?: string, icon?: IconName, run: () => Promise<unknown> }} options
 * @returns {MenuItem}
 */
export const removal = ({ title, message, label = text("delete"), icon = "trash", run }) => ({
  ...action(label, icon, async () => {
    if (await confirmDialog({ title, message, confirm: label, isDangerous: true })) await run();
  }),
  isDangerous: true,
});
