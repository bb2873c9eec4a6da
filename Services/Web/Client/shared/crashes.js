// @ts-check
/** Reports errors that no one has handled to the platform, where the back office lists them. */
import { call, Problem } from "./api.js";
import { app } from "./app.js";
import { build } from "./build.js";

/** @import { GatewayReportCrashBody } from "../../Types/api.d.ts" */

const MOST = 3;
let count = 0;

/** @param {unknown} error */
function report(error) {
  // a problem is an answer of the platform, which knows of it
  if (!(error instanceof Error) || error instanceof Problem || error.name === "AbortError" || ++count > MOST) return;
  /** @type {GatewayReportCrashBody} */
  const body = {
    app: /** @type {GatewayReportCrashBody["app"]} */ (app === "admin" ? "web" : app),
    version: `web ${build ?? "unknown"}`,
    device: navigator.userAgent.slice(0, 120),
    text: `${location.pathname}\n${error.stack ?? error.message}`.slice(0, 8000),
  };
  call("POST /v1/crash-reports", { body }).catch(() => {});
}

globalThis.addEventListener?.("error", (event) => report(event.error));
globalThis.addEventListener?.("unhandledrejection", (event) => report(event.reason));
