// @ts-check
import { call } from "../../shared/api.js";
import { icon } from "../../shared/components/icon.js";
import { picture } from "../../shared/components/picture.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { postCard } from "../components/posts.js";
import { productCard } from "../components/products.js";
import { videoLink } from "../components/video-link.js";
import { loadSite, loadTypes } from "../site.js";
import { t } from "../strings.js";

/** @import { Post, Product, ProductType, Site } from "../../../Types/api.d.ts" */
/** @typedef {{ site: Site, types: ProductType[], products: Product[], posts: Post[] }} HomeData */

/** @param {import("../../shared/router.js").Visit} visit @returns {Promise<HomeData>} */
export async function load({ signal }) {
  const [site, types, products, posts] = await Promise.all([
    loadSite(),
    loadTypes(),
    call("GET /v1/products", { limit: 8 }, { signal }),
    call("GET /v1/posts", { limit: 3 }, { signal }),
  ]);
  return { site, types, products: products.items, posts: posts.items };
}

/** @param {HomeData} data */
export default function homeScreen({ site, types, products, posts }) {
  const nameOf = (/** @type {string | undefined} */ slug) => types.find((it) => it.slug === slug)?.name;
  return h(
    "div.home",
    null,
    hero(site, products),
    section(
      t("newInShop"),
      "/shop",
      t("allProducts"),
      products.length > 0,
      () => h("ul.cards.product-cards", { role: "list" }, products.map((it) => h("li", null, productCard(it)))),
    ),
    section(t("tutorials"), "/videos", t("allVideos"), site.tutorials.length > 0, () =>
      h(
        "ul.cards",
        { role: "list" },
        site.tutorials.map((it) =>
          h("li", null, videoLink({ title: it.title, link: it.link, note: nameOf(it.productType) }))
        ),
      )),
    section(
      t("fromBlog"),
      "/blog",
      t("allPosts"),
      posts.length > 0,
      () => h("ul.cards.post-cards", { role: "list" }, posts.map((it) => h("li", null, postCard(it)))),
    ),
    instagram(site),
    h(
      "section.band",
      null,
      h("div", null, h("h2", null, t("newsletterTitle")), h("p", null, t("newsletterIntro"))),
      h("a.button.primary", { href: link("/newsletter") }, icon("mail"), t("subscribe")),
    ),
  );
}

/**
 * @param {Site} site
 * @param {Product[]} products
 */
function hero(site, products) {
  const shown = products.filter((it) => it.images.length > 0).slice(0, 3);
  return h(
    "section.hero",
    null,
    h(
      "div.hero-text",
      null,
      h("p.eyebrow", null, "Yesenia Designs"),
      h("h1", null, site.title ?? t("homeTitle")),
      h("p.hero-intro", null, site.home ?? t("homeIntro")),
      h(
        "p.row",
        null,
        h("a.button.primary", { href: link("/shop") }, icon("shop"), t("shopNow")),
        h("a.button", { href: link("/videos") }, icon("play"), t("watchVideos")),
      ),
    ),
    shown.length > 0 && h(
      "div.hero-pictures",
      { "aria-hidden": "true" },
      shown.map((it) => picture(it.images[0], { alt: "", ratio: "4 / 5", sizes: "20rem", isUrgent: true })),
    ),
  );
}

/**
 * @param {string} title
 * @param {string} path
 * @param {string} more
 * @param {boolean} isShown
 * @param {() => Node} content
 */
const section = (title, path, more, isShown, content) =>
  isShown && h(
    "section.home-section",
    null,
    h(
      "div.spread",
      null,
      h("h2", null, title),
      h("a.more-link", { href: link(path) }, more, icon("next")),
    ),
    content(),
  );

/** The owner's account there, as the page cannot show its pictures. @param {Site} site */
function instagram({ socialLinks }) {
  const account = socialLinks.find((it) => /instagram/i.test(it.name + it.link));
  if (!account) return null;
  const handle = new URL(account.link).pathname.split("/").find(Boolean);
  return h(
    "section.band.is-plain",
    null,
    h(
      "div",
      null,
      h("h2", null, t("followInstagram")),
      h("p.soft", null, handle ? `@${handle}` : account.link),
    ),
    h(
      "a.button",
      { href: account.link, target: "_blank", rel: "noopener" },
      icon("image"),
      account.name,
      icon("external"),
    ),
  );
}
