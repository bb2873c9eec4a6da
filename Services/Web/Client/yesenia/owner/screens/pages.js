// @ts-check
/** What the pages of the shop say: blog, videos, tools, and the home page with the owner's address. */
import { call, pages } from "../../../shared/api.js";
import { form } from "../../../shared/components/form.js";
import { icon } from "../../../shared/components/icon.js";
import { picture } from "../../../shared/components/picture.js";
import { tabs } from "../../../shared/components/tabs.js";
import { toast } from "../../../shared/components/toast.js";
import { uploadField } from "../../../shared/components/uploader.js";
import { link } from "../../../shared/router.js";
import { user } from "../../../shared/session.js";
import { text } from "../../../shared/text.js";
import { h } from "../../../shared/view.js";
import { collection } from "../components/collection.js";
import { tableField } from "../components/table-field.js";
import { t } from "../strings.js";

/** @import { Media, Post, ProductType, Site, Tool } from "../../../../Types/api.d.ts" */
/** @typedef {{ value: string, label: string }[]} Options */

/** @param {import("../../../shared/router.js").Visit} visit @returns {Promise<[Site, ProductType[]]>} */
export async function load({ signal }) {
  const [site, types] = await Promise.all([
    call("GET /v1/site", {}, { signal }),
    call("GET /v1/product-types", { limit: 100 }, { signal }),
  ]);
  return [site, types.items];
}

/** @param {[Site, ProductType[]]} data */
export default function pagesScreen([site, types]) {
  const options = types.map((it) => ({ value: it.slug, label: it.name }));
  return h(
    "div.stack",
    null,
    h("h1", null, t("pages")),
    tabs({
      label: t("pages"),
      tabs: [
        { id: "blog", label: t("blog"), content: blogWithImport },
        { id: "videos", label: t("videos"), content: () => videos(options) },
        { id: "tools", label: t("tools"), content: () => tools(options) },
        { id: "home", label: t("homePage"), content: () => home(site, options) },
      ],
    }),
  );
}

/**
 * @param {string | undefined} image
 * @param {string} title
 * @param {string} [note]
 */
const row = (image, title, note) => [
  h("span.row-picture", null, picture(image, { alt: "", sizes: "4rem" })),
  h("span.grow.row-text", null, h("strong", null, title), note && h("span.soft.small-text", null, note)),
];

/** @param {string} name @param {string | undefined} value */
const imageField = (name, value) =>
  uploadField({ name, label: t("picture"), accept: "image/*", kind: "image", visibility: "everyone", value });

const blogWithImport = () =>
  h(
    "div.stack",
    null,
    h("p", null, h("a.button", { href: link("/import", { of: "posts" }) }, icon("upload"), t("importPosts"))),
    blog(),
  );

const blog = () =>
  collection({
    label: t("blog"),
    add: t("newPost"),
    sign: "book",
    nothing: t("noPosts"),
    list: (signal) => pages("GET /v1/posts", { limit: 20 }, { signal }),
    row: (/** @type {Post} */ it) => row(it.media, it.title, it.date.slice(0, 10)),
    fields: (/** @type {Post | undefined} */ it) => [
      { name: "title", label: t("heading"), value: it?.title, required: true, props: { maxlength: 200 } },
      {
        name: "date",
        label: t("date"),
        kind: "date",
        value: it?.date.slice(0, 10) ?? new Date().toISOString().slice(0, 10),
      },
      {
        name: "description",
        label: t("text"),
        kind: "textarea",
        value: it?.description,
        props: { maxlength: 20000, rows: 8 },
      },
      {
        name: "mediaLink",
        label: t("videoLink"),
        kind: "url",
        value: it?.mediaLink,
        props: { placeholder: "https://" },
      },
      imageField("media", it?.media),
    ],
    create: (body, key) => call("POST /v1/posts", { body }, { key }),
    update: ({ id, version }, values) =>
      call("PATCH /v1/posts/{id}", { id, body: { description: null, mediaLink: null, media: null, ...values } }, {
        version,
      }),
    remove: ({ id, version }) => call("DELETE /v1/posts/{id}", { id }, { version }),
  });

/** @param {Options} options */
const videos = (options) =>
  collection({
    label: t("videos"),
    add: t("newVideo"),
    sign: "video",
    nothing: t("noVideos"),
    list: (signal) => pages("GET /v1/media", { kind: "video", owner: user.get()?.id, limit: 20 }, { signal }),
    row: (/** @type {Media} */ it) => [
      h(
        "span.grow.row-text",
        null,
        h("strong", null, it.title ?? t("videos")),
        h("span.soft.small-text", null, it.link?.url),
      ),
      h("span.chip", null, options.find(({ value }) => value === it.productType)?.label ?? t("noType")),
    ],
    fields: (/** @type {Media | undefined} */ it) => [
      ...(it ? [] : [
        {
          name: "url",
          label: t("youTubeLink"),
          kind: "url",
          props: { placeholder: "https://www.youtube.com/watch?v=" },
        },
        uploadField({ name: "media", label: t("orUpload"), accept: "video/*", kind: "video", visibility: "everyone" }),
      ]),
      { name: "title", label: t("heading"), value: it?.title, required: true, props: { maxlength: 200 } },
      { name: "productType", label: t("type"), kind: "select", value: it?.productType, options },
      {
        name: "description",
        label: t("description"),
        kind: "textarea",
        value: it?.description,
        props: { maxlength: 2000 },
      },
    ],
    create: ({ media, ...body }, key) =>
      media
        ? describe(media, body)
        : call("POST /v1/media/links", { body: { ...body, visibility: "everyone" } }, { key }),
    update: ({ id, version }, values) => call("PATCH /v1/media/{id}", { id, body: values }, { version }),
    remove: ({ id, version }) => call("DELETE /v1/media/{id}", { id }, { version }),
  });

/**
 * An uploaded video gets its words.
 * @param {string} id
 * @param {{ title: string, productType?: string, description?: string }} body
 */
async function describe(id, { title, productType, description }) {
  const { version } = await call("GET /v1/media/{id}", { id });
  return call("PATCH /v1/media/{id}", { id, body: { title, productType, description } }, { version });
}

/** @param {Options} options */
const tools = (options) =>
  collection({
    label: t("tools"),
    add: t("newTool"),
    sign: "settings",
    nothing: t("noTools"),
    list: (signal) => pages("GET /v1/tools", { limit: 20 }, { signal }),
    row: (/** @type {Tool} */ it) => row(it.image, it.name, it.description),
    fields: (/** @type {Tool | undefined} */ it) => [
      { name: "name", label: t("name"), value: it?.name, required: true, props: { maxlength: 120 } },
      {
        name: "description",
        label: t("description"),
        kind: "textarea",
        value: it?.description,
        props: { maxlength: 2000 },
      },
      { name: "link", label: t("link"), kind: "url", value: it?.link, props: { placeholder: "https://" } },
      { name: "productType", label: t("type"), kind: "select", value: it?.productType, options },
      imageField("image", it?.image),
    ],
    create: (body, key) => call("POST /v1/tools", { body }, { key }),
    update: ({ id, version }, values) =>
      call("PATCH /v1/tools/{id}", { id, body: { description: null, link: null, image: null, ...values } }, {
        version,
      }),
    remove: ({ id }) => call("DELETE /v1/tools/{id}", { id }),
  });

/**
 * @param {Site} site
 * @param {Options} options
 */
function home(site, options) {
  let { version } = site;
  return h(
    "section.card",
    null,
    form({
      fields: [
        { name: "title", label: t("heading"), value: site.title, props: { maxlength: 200 } },
        { name: "home", label: t("welcome"), kind: "textarea", value: site.home, props: { maxlength: 5000 } },
        { name: "email", label: t("email"), kind: "email", value: site.email },
        tableField("socialLinks", t("socialLinks"), [{ name: "name", label: t("name") }, {
          name: "link",
          label: t("link"),
        }], site.socialLinks),
        tableField("tutorials", t("tutorials"), [
          { name: "title", label: t("heading") },
          { name: "link", label: t("youTubeLink") },
          { name: "productType", label: t("type"), options: [{ value: "", label: t("noType") }, ...options] },
        ], site.tutorials),
      ],
      submit: text("save"),
      onsubmit: async (body) => {
        const saved = await call("PUT /v1/site", { body }, { version });
        version = saved.version;
        Object.assign(site, saved);
        toast(t("saved"), { kind: "success" });
      },
    }),
  );
}
