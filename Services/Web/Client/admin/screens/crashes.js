// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { dateTime, relative } from "../../shared/language.js";
import { h } from "../../shared/view.js";
import { chip } from "../components/entry.js";
import { choice, filters } from "../components/filters.js";
import { APPS } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/**
 * @param {undefined} _
 * @param {import("../../shared/router.js").Visit} visit
 */
export default function crashesScreen(_, { query }) {
  const { values, element } = filters({
    query,
    onchange: () => list.reload(),
    fields: [choice("app", t("app"), APPS)],
  });
  const list = paged((signal) => pages("GET /v1/admin/crash-reports", { ...values.get(), limit: 30 }, { signal }));
  return sectionPage(
    "system",
    { title: t("crashes"), intro: t("crashesIntro") },
    element,
    listView(list, {
      key: (it) => it.id,
      label: t("crashes"),
      empty: { icon: "check", title: t("noCrashes"), message: t("noCrashesHint") },
      render: (item) => {
        const { app, version, device, text, reportedAt } = item.get();
        return h(
          "details",
          null,
          h(
            "summary",
            null,
            h(
              "span.entry-main",
              null,
              h("span.entry-title", null, text.split("\n")[0].slice(0, 160)),
              h(
                "span.entry-details",
                null,
                h("span", null, version),
                h("time", { datetime: reportedAt, title: dateTime(reportedAt) }, relative(reportedAt)),
              ),
            ),
            h("span.entry-end", null, chip(APPS[app])),
          ),
          h("p.soft.small-text", null, device),
          h("pre.trace", { tabindex: 0, "aria-label": t("crashText") }, text),
        );
      },
    }),
  );
}
