// @ts-check
/** The service worker that keeps the app on the device, and the change to a newer version. */
import { base } from "../shared/app.js";
import { t } from "./strings.js";

export async function keepOffline() {
  if (!("serviceWorker" in navigator)) return;
  const address = `${base}/sw.js`;
  const trusted = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("quintet-worker", {
    createScriptURL: (/** @type {string} */ url) => {
      if (url !== address) throw new TypeError("only this app's service worker");
      return url;
    },
  }).createScriptURL(address) ?? address;
  const registration = await navigator.serviceWorker.register(trusted, { scope: `${base}/` });
  const offer = async () => {
    const worker = registration.waiting;
    if (!worker || !navigator.serviceWorker.controller) return;
    const { toast } = await import("../shared/components/toast.js");
    toast(t("newVersion"), { action: { label: t("reload"), run: () => worker.postMessage("activate") } });
  };
  let isReloading = navigator.serviceWorker.controller === null;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (!isReloading) location.reload();
    isReloading = true;
  });
  registration.addEventListener("updatefound", () => {
    registration.installing?.addEventListener("statechange", offer);
  });
  offer();
}
