// @ts-check
/** The kept cards. Card numbers are only for the provider; the test provider needs none. */
import { call, pages } from "../../shared/api.js";
import { openDialog } from "../../shared/components/dialog.js";
import { actionButton, form } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { keptCard, testCards } from "../../shared/payment/cards.js";
import { h } from "../../shared/view.js";
import { t } from "../screen-strings.js";

/** @import { PaymentMethod } from "../../../Types/api.d.ts" */

export function paymentMethods() {
  const list = paged((signal) => pages("GET /v1/payment-methods", {}, { signal }));
  const add = async () => {
    if (await addMethod()) await list.reload();
  };
  return h(
    "div.stack",
    null,
    listView(list, {
      key: (it) => it.id,
      label: t("paymentMethods"),
      render: (it) => {
        const method = it.get();
        const { label, note } = keptCard(method);
        const remove = async () => {
          await call("DELETE /v1/payment-methods/{id}", { id: method.id });
          list.items.update((all) => all.filter((it) => it.id !== method.id));
        };
        return h(
          "div",
          null,
          icon("card"),
          h("span.grow", null, label, " ", h("span.soft.small-text", null, note)),
          method.state !== "ready" && h("span.chip.is-warning", null, t("notReady")),
          actionButton({
            label: "",
            icon: "trash",
            class: "quiet icon-only",
            run: remove,
            props: { "aria-label": t("removeMethod", { name: method.label }) },
          }),
        );
      },
      empty: { icon: "card", title: t("noMethods"), message: t("noMethodsHint") },
    }),
    actionButton({ label: t("addMethod"), icon: "add", run: add }),
  );
}

/** @returns {Promise<PaymentMethod | undefined>} */
const addMethod = () =>
  openDialog({
    title: t("addMethod"),
    build: (close) =>
      h(
        "div.stack",
        null,
        h("p.soft", null, t("sandboxHint")),
        form({
          fields: [
            { name: "label", label: t("cardName"), value: t("testCard"), required: true, props: { maxlength: 60 } },
            {
              name: "token",
              label: t("cardKind"),
              kind: "select",
              options: testCards().map(({ label, choice }) => ({ value: choice.token, label })),
            },
          ],
          submit: t("addMethod"),
          oncancel: () => close(),
          onsubmit: async (values, { key }) =>
            close(await call("POST /v1/payment-methods", { body: { provider: "test", ...values } }, { key })),
        }),
      ),
  });
