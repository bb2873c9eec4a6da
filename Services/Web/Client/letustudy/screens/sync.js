// @ts-check
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { empty } from "../../shared/components/states.js";
import { toast } from "../../shared/components/toast.js";
import { relative } from "../../shared/language.js";
import { h } from "../../shared/view.js";
import { study } from "../study.js";
import { valuesOf } from "../study/model.js";
import { t } from "../screen-strings.js";

/** @import { LocalRecord } from "../sync/record.js" */
/** @import { Variant } from "../sync/merge.js" */

/** What is not sent, what was refused, what two devices have changed differently, and what was deleted. */
export default function syncScreen() {
  const { store, sync } = study();
  const records = () => [...store.all("sets").values(), ...store.all("cards").values()];
  const conflicts = () => records().filter((it) => it.view && !it.view.isDeleted && it.view.variants.length > 0);
  const deleted = () =>
    [...store.all("sets").values()].filter((it) => it.view?.isDeleted && valuesOf(it).title)
      .toSorted((a, b) => (a.view?.lifecycle ?? "") < (b.view?.lifecycle ?? "") ? 1 : -1).slice(0, 20);
  return h(
    "div.stack.prose",
    null,
    h("h1", null, t("syncPage")),
    () => {
      const { phase, at } = sync.status.get();
      const count = store.pending.get();
      const isAway = phase === "offline" || phase === "failed";
      return h(
        "section.card.sync-state",
        { class: isAway ? "is-offline" : "" },
        h("span.action-icon", null, icon(isAway ? "block" : phase === "syncing" ? "refresh" : "check")),
        h(
          "div.grow",
          null,
          h(
            "strong",
            null,
            count > 0
              ? t("unsent", { count })
              : isAway
              ? t("offlineNow")
              : phase === "syncing"
              ? t("syncing")
              : t("everythingSent"),
          ),
          h("p.soft.small-text", null, at ? t("lastSync", { time: relative(at) }) : t("neverSynced")),
        ),
        actionButton({ label: t("syncNow"), icon: "refresh", run: sync.run }),
      );
    },
    () =>
      store.refused.get().length > 0 && h(
        "section.stack",
        null,
        h("h2", null, t("refused")),
        h("p.soft", null, t("refusedHint")),
        store.refused.get().map(({ operation, message }) =>
          h(
            "article.card.stack",
            null,
            h("p", null, h("strong", null, message)),
            h(
              "p.soft",
              { dir: "auto" },
              Object.values(operation.fields ?? {}).filter((it) => typeof it === "string").join(" – "),
            ),
            h(
              "div.form-actions",
              null,
              actionButton({
                label: t("copyText"),
                run: async () => {
                  await navigator.clipboard.writeText(JSON.stringify(operation.fields ?? {}, null, 2));
                  toast(t("textCopied"), { kind: "success" });
                },
              }),
              actionButton({ label: t("dismiss"), class: "quiet", run: () => store.dismissRefused(operation.id) }),
            ),
          )
        ),
      ),
    () =>
      conflicts().length > 0 && h(
        "section.stack",
        null,
        h("h2", null, t("conflicts")),
        h("p.soft", null, t("conflictsHint")),
        conflicts().map((record) => record.view?.variants.map((variant) => conflict(record, variant))),
      ),
    h(
      "section.stack",
      null,
      h("h2", null, t("deletedSets")),
      () =>
        deleted().length > 0
          ? h(
            "ul.rows",
            { role: "list" },
            deleted().map((record) =>
              h(
                "li",
                null,
                h(
                  "div",
                  null,
                  icon("trash"),
                  h("span.grow", null, valuesOf(record).title),
                  actionButton({
                    label: t("restore"),
                    class: "small",
                    run: () => store.change("sets", record.id, "restore"),
                  }),
                ),
              )
            ),
          )
          : empty({ icon: "trash", title: t("nothingDeleted"), message: t("deletedHint") }),
    ),
  );
}

/** @param {LocalRecord} record @param {Variant} variant */
function conflict(record, { field, text, version }) {
  const { store } = study();
  const { collection, id } = record;
  const current = valuesOf(record)[field];
  /** @param {string} [chosen] */
  const settle = (chosen) =>
    store.put(/** @type {any} */ (collection), id, chosen === undefined ? {} : { [field]: chosen }, {
      dismissed: [version],
    });
  const side = (/** @type {string} */ title, /** @type {string} */ content, /** @type {Node} */ action) =>
    h("div.variant", null, h("p.eyebrow", null, title), h("p", { dir: "auto" }, content), action);
  return h(
    "article.card.variants",
    null,
    side(t("currentText"), current, actionButton({ label: t("keep"), run: () => settle(), class: "small" })),
    side(t("otherText"), text, actionButton({ label: t("takeThis"), run: () => settle(text), class: "small primary" })),
    actionButton({ label: t("keepBoth"), run: () => settle(`${current}\n${text}`), class: "small quiet" }),
  );
}
