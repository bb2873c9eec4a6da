// @ts-check
import { addressOf, call, pages } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { listing } from "../../shared/language.js";
import { hasRole } from "../../shared/session.js";
import { h, state } from "../../shared/view.js";
import { auditEntry } from "../components/audit.js";
import { choice, filters } from "../components/filters.js";
import { APPS } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** @import { AuditRecord } from "../../../Types/api.d.ts" */

const SERVICES = ["auth", "catalog", "gateway", "matching", "media-index", "orders", "study-sync"];

/**
 * What the API wants for what was typed: `user:…` for a username.
 * @param {string} typed
 * @param {AbortSignal} signal
 */
async function actorOf(typed, signal) {
  if (!typed || typed.includes(":") || typed === "anonymous") return typed;
  const query = typed.replace(/^@/, "");
  const found = await call("GET /v1/admin/users", { query, limit: 100 }, { signal });
  const person = found.items.find((it) => it.username === query.toLowerCase()) ?? found.items[0];
  return `user:${person?.id ?? "-"}`;
}

/**
 * Days of the filters as times of the API, in the time zone of the page.
 * @param {Record<string, any>} values
 */
export function auditSearch({ action, object, service, app, from, until }) {
  const day = (/** @type {string} */ it, /** @type {number} */ days) => {
    const [year, month, date] = it.split("-").map(Number);
    return new Date(year, month - 1, date + days).toISOString();
  };
  return {
    action,
    object,
    service,
    app,
    from: from && day(from, 0),
    until: until && day(until, 1),
  };
}

/**
 * @param {undefined} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function auditScreen(_, { query }) {
  const unavailable = state(/** @type {string[]} */ ([]));
  const { values, element } = filters({
    query,
    onchange: () => list.reload(),
    fields: [
      {
        name: "actor",
        label: t("actor"),
        kind: "search",
        props: { autocapitalize: "none", placeholder: t("actorHint") },
      },
      {
        name: "action",
        label: t("action"),
        kind: "search",
        props: { autocapitalize: "none", placeholder: t("actionHint") },
      },
      choice("service", t("service"), Object.fromEntries(SERVICES.map((it) => [it, it]))),
      choice("app", t("app"), APPS),
      { name: "from", label: t("from"), kind: "date" },
      { name: "until", label: t("until"), kind: "date" },
    ],
  });

  /** Who was typed, as the API names them. */
  const actor = state("");

  /** @param {AbortSignal} signal */
  function search(signal) {
    const given = values.get();
    /** @type {AsyncIterator<AuditRecord[]> | undefined} */
    let source;
    const begin = async () => {
      const found = await actorOf(given.actor, signal);
      signal.throwIfAborted();
      actor.set(found);
      return pages("GET /v1/admin/audit", { ...auditSearch(given), actor: found, limit: 30 }, {
        signal,
        onpage: (page) => unavailable.set(page.unavailable),
      });
    };
    return { next: async () => (source ??= await begin()).next() };
  }

  const list = paged(search);
  const download = () => addressOf("GET /v1/admin/audit.csv", { ...auditSearch(values.get()), actor: actor.get() });
  return sectionPage(
    "system",
    {
      title: t("audit"),
      intro: t("auditIntro"),
      action: hasRole("administrator") &&
        h("a.button", { href: download, download: "audit.csv" }, icon("download"), t("exportCSV")),
    },
    element,
    () =>
      unavailable.get().length > 0 &&
      h("p.notice", { role: "status" }, t("trailsAway", { services: listing(unavailable.get()) })),
    listView(list, {
      key: (it) => it.id,
      label: t("audit"),
      empty: { icon: "search", title: t("noEntries"), message: t("otherFilters") },
      render: (item) => auditEntry(item.get()),
    }),
  );
}
