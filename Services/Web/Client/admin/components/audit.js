// @ts-check
/** Entries of the audit trail, as lines that open. */
import { dateTime, relative } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { chip, facts } from "./entry.js";
import { personLink, personName } from "./people.js";
import { parseReference, shortID } from "./references.js";

/** @import { AuditRecord } from "../../../Types/api.d.ts" */

/** Who or what is meant, with a way there. @param {string} reference */
export function referenceLink(reference) {
  const { kind, id } = parseReference(reference);
  if (kind === "user" && id) return personLink(id);
  if (kind === "order" && id) {
    return h("a", { href: link(`/sales/orders/${id}`) }, t("orderTitle", { number: shortID(id) }));
  }
  return id ? `${kind} ${shortID(id)}` : kind;
}

/** @param {string} reference */
const referenceText = (reference) => {
  const { kind, id } = parseReference(reference);
  if (kind === "user" && id) return personName(id);
  return id ? `${kind} ${shortID(id)}` : kind;
};

/** Whether an entry is about something that was refused or ended. @param {string} action */
const isRefusal = (action) => /failed|denied|refused|distrusted|reused/.test(action);

/** @param {AuditRecord} record */
export function auditEntry(record) {
  const { at, actor, object, action, service, app, address, device, changes } = record;
  const change = (/** @type {AuditRecord["changes"][number]} */ { field, before, after }) =>
    h("li", null, `${field}: `, [before, after].filter(Boolean).map(valueOf).join(" → "));
  return h(
    "details",
    null,
    h(
      "summary",
      null,
      h(
        "span.entry-main",
        null,
        h("span.action-name.entry-title", null, action),
        h(
          "span.entry-details",
          null,
          h("span", null, referenceText(actor)),
          object !== actor && h("span", null, referenceText(object)),
          h("time", { datetime: at, title: dateTime(at) }, relative(at)),
        ),
      ),
      h("span.entry-end", null, service && chip(service, isRefusal(action) ? "is-warning" : "")),
    ),
    facts([
      [t("when"), date(at)],
      [t("actor"), referenceLink(actor)],
      [t("object"), referenceLink(object)],
      [t("app"), app],
      [t("address"), address],
      [t("device"), device && [device.device, device.version, device.network].filter(Boolean).join(" · ")],
      [t("changes"), changes.length > 0 && h("ul", { role: "list" }, changes.map(change))],
    ]),
  );
}

/** @param {string} at */
const date = (at) => h("time", { datetime: at }, dateTime(at));

/** @param {string | undefined} value */
const valueOf = (value = "") => {
  const { kind, id } = parseReference(value);
  return id && /^[0-9a-f-]{36}$/i.test(id) ? `${kind} ${shortID(id)}` : shortID(value);
};
