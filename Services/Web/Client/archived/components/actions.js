// @ts-check
/** The actions beside the account's menu. */
import { icon } from "../../shared/components/icon.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../strings.js";
import { inCart } from "./counts.js";

export const sellButton = () =>
  h("a.button.primary.sell", { href: link("/listings/new") }, icon("add"), h("span", null, t("sell")));

export const cartButton = () =>
  h(
    "a.button.quiet.icon-only.cart-button",
    { href: link("/cart"), "aria-label": () => t("cartWith", { count: inCart.get() }) },
    icon("cart"),
    () => inCart.get() > 0 && h("span.badge", null, inCart.get()),
  );
