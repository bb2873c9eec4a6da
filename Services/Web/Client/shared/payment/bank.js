// @ts-check
/** A payment that the buyer confirms at the bank, elsewhere: the page waits, and asks what has become of it. */
import { pause } from "../api.js";
import { actionButton } from "../components/form.js";
import { spinner } from "../components/states.js";
import { money } from "../language.js";
import { h, onCleanUp } from "../view.js";
import "./style.js";
import { t } from "./strings.js";

/** The platform is asked again this often, besides the event that comes when the bank has answered. */
const MILLISECONDS = 4000;

/** Asks again and again, until the part of the page around it is removed. @param {() => Promise<unknown>} reload */
export async function keepAsking(reload) {
  const controller = new AbortController();
  onCleanUp(() => controller.abort());
  try {
    for (;;) {
      await pause(MILLISECONDS, controller.signal);
      await reload().catch(() => {});
    }
  } catch {
    // the part has gone
  }
}

/**
 * What the buyer does now.
 * @param {{ amount?: import("../../../Types/api.d.ts").Money, refresh: () => Promise<unknown>, middle?: Node | null, other?: Node }} options
 *   - `amount`: where it is known
 *   - `refresh`: asks at once, for who has confirmed
 *   - `middle`: stands before the buttons, `other` is one more of them
 */
export const bankNotice = ({ amount, refresh, middle, other }) =>
  h(
    "div.stack",
    null,
    h("h2.row", null, spinner(), t("bankTitle")),
    h("p", null, amount ? t("bankHint", { amount: money(amount) }) : t("bankHintOpen")),
    middle,
    h("p.row", null, actionButton({ label: t("bankConfirmed"), icon: "refresh", run: refresh }), other),
  );
