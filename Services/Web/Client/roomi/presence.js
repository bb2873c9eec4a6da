// @ts-check
/** Says that the user is here while a page of the app is seen, so that matches see it (unless the settings hide it). */
import { call, Problem } from "../shared/api.js";
import { user } from "../shared/session.js";
import { hasProfile } from "./profile.js";

const EVERY = 45_000;

async function report() {
  if (document.hidden || !user.get() || !hasProfile()) return;
  await call("POST /v1/presence").catch((error) => {
    if (!Problem.is(error)) throw error;
  });
}

export function keepPresent() {
  setInterval(report, EVERY);
  document.addEventListener("visibilitychange", report);
}
