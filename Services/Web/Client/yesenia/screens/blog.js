// @ts-check
import { pages } from "../../shared/api.js";
import { listView, paged } from "../../shared/components/list.js";
import { h } from "../../shared/view.js";
import { postCard } from "../components/posts.js";
import { t } from "../strings.js";

export default function blogScreen() {
  const posts = paged((signal) => pages("GET /v1/posts", { limit: 12 }, { signal }));
  return h(
    "div.stack",
    null,
    h("header.page-header", null, h("div", null, h("h1", null, t("blog")), h("p.soft", null, t("blogIntro")))),
    listView(posts, {
      key: (it) => it.id,
      render: (post) => h("div", null, () => postCard(post.get())),
      label: t("blog"),
      class: "cards post-cards",
      empty: { icon: "book", title: t("noPosts"), message: t("noPostsHint") },
    }),
  );
}
