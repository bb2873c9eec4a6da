// @ts-check
import { onCleanUp } from "../../../shared/view.js";
import { recordSession } from "../../study/record.js";
import { session } from "../../study/sessions.js";

/** Counts the time on a screen as time in courses. */
export function countTime() {
  session.begin({ kind: "course", record: (milliseconds) => recordSession("course", milliseconds) });
  onCleanUp(() => session.end());
}
