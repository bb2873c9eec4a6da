// @ts-check
import { pages } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { picture } from "../../shared/components/picture.js";
import { h } from "../../shared/view.js";
import { loadTypes } from "../site.js";
import { t } from "../strings.js";

/** @import { ProductType, Tool } from "../../../Types/api.d.ts" */

export const load = () => loadTypes();

/** @param {ProductType[]} types */
export default function toolsScreen(types) {
  const tools = paged((signal) => pages("GET /v1/tools", { limit: 24 }, { signal }));
  /** @param {Tool} tool */
  const card = ({ name, description, link: address, image, productType }) => [
    picture(image, { alt: "", ratio: "4 / 3", sizes: "(min-width: 60rem) 16rem, 90vw" }),
    h(
      "div.stack.tool-text",
      null,
      productType && h("p.eyebrow", null, types.find((it) => it.slug === productType)?.name ?? productType),
      h("h2.tool-name", null, name),
      description && h("p.soft.small-text", null, description),
      address && h(
        "a.button",
        { href: address, target: "_blank", rel: "noopener", "aria-label": `${t("getIt")}: ${name}` },
        t("getIt"),
        icon("external"),
      ),
    ),
  ];
  return h(
    "div.stack",
    null,
    h("header.page-header", null, h("div", null, h("h1", null, t("tools")), h("p.soft", null, t("toolsIntro")))),
    listView(tools, {
      key: (it) => it.id,
      render: (tool) => h("article.card.tool", null, () => card(tool.get())),
      label: t("tools"),
      class: "cards",
      empty: { icon: "settings", title: t("noTools"), message: t("noToolsHint") },
    }),
  );
}
