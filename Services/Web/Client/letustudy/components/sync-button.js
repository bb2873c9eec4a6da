// @ts-check
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { isOpen, study } from "../study.js";
import { state } from "../../shared/signals.js";
import { t } from "../strings.js";

/** Whether everything is on the platform; leads to the page about it. @param {Promise<unknown>} opening */
export function syncButton(opening) {
  const isReady = state(isOpen());
  opening.then(() => isReady.set(isOpen()));
  const words = () => {
    if (!isReady.get() || !isOpen()) return t("syncing");
    const { store, sync } = study();
    const count = store.pending.get();
    const { phase } = sync.status.get();
    if (store.refused.get().length > 0) return t("needsAttention");
    if (phase === "offline" || phase === "failed") return count > 0 ? t("offlineWith", { count }) : t("offlineNow");
    return phase === "syncing" || count > 0 ? t("syncing") : t("synced");
  };
  const kind = () => {
    if (!isReady.get() || !isOpen()) return "is-busy";
    const { store, sync } = study();
    const { phase } = sync.status.get();
    if (store.refused.get().length > 0) return "is-warning";
    return phase === "offline" || phase === "failed" ? "is-offline" : phase === "syncing" ? "is-busy" : "is-synced";
  };
  return h(
    "a.sync-button",
    { href: link("/sync"), class: kind, "aria-label": words, title: words },
    () =>
      icon(
        kind() === "is-offline"
          ? "block"
          : kind() === "is-warning"
          ? "error"
          : kind() === "is-busy"
          ? "refresh"
          : "check",
      ),
    h("span.sync-words", { "aria-hidden": "true" }, words),
  );
}
