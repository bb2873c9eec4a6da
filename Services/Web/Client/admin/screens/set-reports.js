// @ts-check
import { call, pages, Problem } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { listView, paged } from "../../shared/components/list.js";
import { toast } from "../../shared/components/toast.js";
import { dateTime } from "../../shared/language.js";
import { h, state } from "../../shared/view.js";
import { chip, entry } from "../components/entry.js";
import { personLink } from "../components/people.js";
import { REASONS } from "../names.js";
import { sectionPage } from "../sections.js";
import { t } from "../strings.js";

/** Sets of the library that users have reported. */
export default function setReportsScreen() {
  const list = paged((signal) => pages("GET /v1/admin/library-reports", { limit: 30 }, { signal }));
  /** Removed on this page, so that a mistake can be undone. */
  const removed = state(/** @type {string[]} */ ([]));

  /** @param {string} id */
  async function remove(id) {
    const question = { title: t("removeSetQuestion"), confirm: t("removeSet"), isDangerous: true };
    if (!await confirmDialog({ ...question, message: t("removeSetHint") })) return;
    await call("DELETE /v1/admin/library/{id}", { id });
    removed.update((all) => [...all, id]);
    toast(t("setRemoved"), { kind: "success" });
  }

  /** @param {string} id */
  async function allow(id) {
    await call("PUT /v1/admin/library/{id}", { id });
    removed.update((all) => all.filter((it) => it !== id));
    toast(t("setAllowed"), { kind: "success" });
  }

  return sectionPage(
    "safety",
    { title: t("setReports"), intro: t("setReportsIntro") },
    listView(list, {
      key: (it) => `${it.set} ${it.reporterID}`,
      label: t("setReports"),
      empty: { icon: "book", title: t("noReports"), message: t("noReportsHint") },
      render: (item) => {
        const { set, reporterID, reason, reportedAt } = item.get();
        const isRemoved = () => removed.get().includes(set);
        return entry({
          title: setTitle(set),
          details: [h("span", null, t("reportedBy"), " ", personLink(reporterID)), dateTime(reportedAt)],
          end: [
            chip(REASONS[reason], "is-warning"),
            h(
              "span",
              null,
              () =>
                isRemoved()
                  ? actionButton({ label: t("allowSet"), class: "small", run: () => allow(set) })
                  : actionButton({ label: t("removeSet"), class: "small dangerous", run: () => remove(set) }),
            ),
          ],
        });
      },
    }),
  );
}

/** The title, which comes later: the report has only the id. @param {string} id */
function setTitle(id) {
  const title = state("…");
  call("GET /v1/library/{id}", { id }).then(
    (it) => title.set(it.title),
    (error) => {
      title.set(t("unknownSet"));
      if (!Problem.is(error)) reportError(error);
    },
  );
  return h("span", null, title);
}
