// @ts-check
import { call, pages } from "../../shared/api.js";
import { actionButton, form } from "../../shared/components/form.js";
import { openDialog } from "../../shared/components/dialog.js";
import { listView, paged } from "../../shared/components/list.js";
import { icon } from "../../shared/components/icon.js";
import { shareButton } from "../../shared/components/share.js";
import { toast } from "../../shared/components/toast.js";
import { date } from "../../shared/language.js";
import { go, link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { hueOf } from "../components/set-card.js";
import { study } from "../study.js";
import { t } from "../screen-strings.js";

/** @import { LibrarySet } from "../../../Types/api.d.ts" */

/** @param {import("../../shared/router.js").Visit} visit */
export const load = ({ params: { id }, signal }) => call("GET /v1/library/{id}", { id }, { signal });

/** A published set, to be copied. @param {LibrarySet} set */
export default function librarySetScreen(set) {
  const { id } = set;
  const copy = async () => {
    const made = await call("POST /v1/library/{id}/copy", { id });
    await study().sync.run();
    toast(t("copied"), { kind: "success" });
    await go(`/sets/${made.id}`);
  };
  const report = () =>
    openDialog({
      title: t("report"),
      build: (close) =>
        form({
          fields: [{
            name: "reason",
            label: t("reason"),
            kind: "select",
            options: /** @type {const} */ (["spam", "copyright", "hate", "sexual", "wrong", "other"]).map((value) => ({
              value,
              label: t(`reason-${value}`),
            })),
          }],
          submit: t("report"),
          oncancel: () => close(),
          onsubmit: async (body) => {
            await call("POST /v1/library/{id}/reports", { id, body });
            close();
            toast(t("reported"), { kind: "success" });
          },
        }),
    });
  return h(
    "div.stack",
    { style: { "--hue": hueOf(id) } },
    h(
      "header.set-head",
      null,
      h("a.button.quiet.small.back-link", { href: link("/library") }, icon("back"), t("library")),
      h("h1", null, set.title),
      set.description && h("p.soft.set-description", null, set.description),
      h(
        "p.row.small-text.soft",
        null,
        set.owner && h("span", null, t("by", { name: set.owner.displayName })),
        h("span", null, date(set.publishedAt)),
        h("span", null, t("copies", { count: set.copies })),
        set.tags.map((it) => h("span.chip", null, it)),
      ),
      h(
        "div.row",
        null,
        actionButton({ label: t("copySet"), icon: "copy", run: copy, class: "primary" }),
        shareButton({ kind: "set", id, title: set.title, label: t("share"), copied: t("linkCopied") }),
        h("button.button.quiet", { type: "button", onclick: report }, icon("flag"), t("report")),
      ),
    ),
    h("h2", null, t("cardsOf", { count: set.cardCount })),
    listView(paged((signal) => pages("GET /v1/library/{id}/cards", { id }, { signal })), {
      key: (it) => it.id,
      label: t("cards"),
      class: "card-rows",
      empty: { icon: "card", title: t("noCards") },
      render: (card) =>
        h(
          "div.card-row",
          null,
          h("p", { dir: "auto" }, card.get().front),
          h("p.soft", { dir: "auto" }, card.get().back),
        ),
    }),
  );
}
