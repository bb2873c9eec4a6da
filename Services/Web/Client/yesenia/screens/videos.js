// @ts-check
import { call } from "../../shared/api.js";
import { empty } from "../../shared/components/states.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { typeChoice } from "../components/types.js";
import { videoCard } from "../components/videos.js";
import { loadTypes } from "../site.js";
import { t } from "../strings.js";

/** @import { Media, ProductType } from "../../../Types/api.d.ts" */
/** @typedef {{ type: ProductType, videos: Media[] }} Section */
/** @typedef {{ types: ProductType[], sections: Section[] }} VideosData */

/** @param {import("../../shared/router.js").Visit} visit @returns {Promise<VideosData>} */
export async function load({ query, signal }) {
  const types = await loadTypes();
  const shown = types.filter((it) => !query.get("type") || it.slug === query.get("type"));
  const sections = await Promise.all(shown.map(async (type) => {
    const found = await call("GET /v1/media", { kind: "video", productType: type.slug, limit: 50 }, { signal });
    return { type, videos: found.items };
  }));
  return { types, sections: sections.filter((it) => it.videos.length > 0) };
}

/** @param {VideosData} data @param {import("../../shared/router.js").Visit} visit */
export default function videosScreen({ types, sections }, { query }) {
  return h(
    "div.stack",
    null,
    h("header.page-header", null, h("div", null, h("h1", null, t("watchVideos")), h("p.soft", null, t("videosIntro")))),
    typeChoice(types, query.get("type") ?? undefined, (type) => link("/videos", { type })),
    sections.length === 0 && empty({ icon: "video", title: t("noVideos"), message: t("noVideosHint") }),
    sections.map(({ type, videos }) =>
      h(
        "section.home-section",
        null,
        h("h2", null, type.name),
        h("ul.cards", { role: "list" }, videos.map((it) => h("li", null, videoCard(it)))),
      )
    ),
  );
}
