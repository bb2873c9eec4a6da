// @ts-check
import { call, Problem } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { listing, number } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { hasRole, user } from "../../shared/session.js";
import { h } from "../../shared/view.js";
import { auditEntry } from "../components/audit.js";
import { loadStatus, serviceList } from "../components/status.js";
import { t } from "../strings.js";

/** @import { IconName } from "../../shared/components/icon.js" */
/** @typedef {{ path: string, label: string, icon: IconName, count: Promise<{ items: unknown[], nextCursor?: string }> }} Figure */

/** @param {import("../../shared/router.js").Visit} visit */
export async function load({ signal }) {
  const [isJudge, isAnswering, readsTrail] = [
    hasRole("administrator", "support"),
    hasRole("administrator", "owner"),
    hasRole("administrator", "support"),
  ];
  /** @type {(Figure | false)[]} */
  const figures = [
    {
      path: "/sales/orders?status=placed&fulfillment=processing",
      label: t("ordersToProcess"),
      icon: "cart",
      count: call("GET /v1/admin/orders", { status: "placed", fulfillment: "processing", limit: 100 }, { signal }),
    },
    {
      path: "/sales/refunds?status=failed",
      label: t("refundsFailed"),
      icon: "refresh",
      count: call("GET /v1/refunds", { status: "failed", limit: 100 }, { signal }),
    },
    {
      path: "/sales/payouts?status=requested",
      label: t("payoutsRequested"),
      icon: "card",
      count: call("GET /v1/admin/payouts", { status: "requested", limit: 100 }, { signal }),
    },
    isJudge && {
      path: "/safety/messages?state=open",
      label: t("reportsOpen"),
      icon: "shield",
      count: call("GET /v1/admin/message-reports", { state: "open", limit: 100 }, { signal }),
    },
    isAnswering && {
      path: "/safety/contact?state=open",
      label: t("contactOpen"),
      icon: "mail",
      count: call("GET /v1/contact-messages", { state: "open", limit: 100 }, { signal }),
    },
  ];
  const shown = figures.filter((it) => it !== false);
  try {
    const [status, trail, ...counts] = await Promise.all([
      loadStatus(),
      readsTrail ? call("GET /v1/admin/audit", { limit: 100 }, { signal }) : null,
      ...shown.map((it) => it.count),
    ]);
    return { status, trail, figures: shown.map((it, index) => ({ ...it, count: counts[index] })) };
  } catch (error) {
    // without a second factor, the token is not for staff's work
    if (Problem.is(error, "forbidden")) return (await import("./no-access.js")).default;
    throw error;
  }
}

/** What has only been looked at is in the whole trail. @param {{ action: string }} record */
const isChange = ({ action }) => !/viewed|searched|exported/.test(action);

/** What waits for the staff, and how the platform is. @param {Awaited<ReturnType<typeof load>>} loaded */
export default function overviewScreen(loaded) {
  if (typeof loaded === "function") return loaded();
  const { status, trail, figures } = loaded;
  const away = status.services.filter((it) => !it.isAvailable).map((it) => it.name);
  return h(
    "div.stack",
    null,
    h(
      "header.page-heading",
      null,
      h(
        "div",
        null,
        h("h1", null, t("hello", { name: user.get()?.displayName.split(" ")[0] ?? "" })),
        h("p.soft", null, away.length > 0 ? t("servicesAway", { services: listing(away) }) : t("servicesFine")),
      ),
    ),
    h(
      "div.cards.figures",
      null,
      figures.map(({ path, label, icon: name, count: { items, nextCursor } }) =>
        h(
          "a.card.figure",
          {
            href: link(path.split("?")[0]) + `?${path.split("?")[1]}`,
            class: items.length > 0 ? "needs-work" : "is-done",
          },
          h("span.figure-head", null, icon(name), label),
          h("span.figure-value", null, number(items.length) + (nextCursor ? "+" : "")),
        )
      ),
    ),
    h("section.card.stack", null, h("h2", null, t("services")), serviceList(status)),
    trail && h(
      "section.stack",
      null,
      h("div.spread", null, h("h2", null, t("lately")), h("a", { href: link("/system/audit") }, t("wholeTrail"))),
      h(
        "ul.rows",
        { role: "list", "aria-label": t("lately") },
        trail.items.filter(isChange).slice(0, 8).map((it) => h("li", null, auditEntry(it))),
      ),
    ),
  );
}
