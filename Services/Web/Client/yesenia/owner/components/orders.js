// @ts-check
/** What the owner does with orders. */
import { call } from "../../../shared/api.js";
import { openDialog } from "../../../shared/components/dialog.js";
import { form } from "../../../shared/components/form.js";
import { t } from "../strings.js";

/** @import { Order } from "../../../../Types/api.d.ts" */
/** @import { Step } from "../steps.js" */

/**
 * Moves an order to a step; asks for the parcel's number where it is sent.
 * @param {Order} order
 * @param {Step} step
 * @returns {Promise<Order | undefined>} `undefined` if the owner has changed their mind
 */
export function moveOrder(order, step) {
  const { id, version } = order;
  if (step !== "shipped") return call("PATCH /v1/orders/{id}", { id, body: { status: step } }, { version });
  return openDialog({
    title: t("shipOrder"),
    build: (close) =>
      form({
        fields: [
          { name: "carrier", label: t("carrier"), required: true, value: order.carrier, props: { maxlength: 60 } },
          {
            name: "tracking",
            label: t("trackingNumber"),
            required: true,
            value: order.tracking,
            props: { maxlength: 60 },
          },
        ],
        submit: t("markShipped"),
        oncancel: () => close(),
        onsubmit: async (values) =>
          close(await call("PATCH /v1/orders/{id}", { id, body: { status: step, ...values } }, { version })),
      }),
  });
}
