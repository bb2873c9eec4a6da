// @ts-check
import { call, pages } from "../../shared/api.js";
import { confirmDialog } from "../../shared/components/dialog.js";
import { actionButton } from "../../shared/components/form.js";
import { icon } from "../../shared/components/icon.js";
import { listView, paged } from "../../shared/components/list.js";
import { avatar } from "../../shared/components/picture.js";
import { relative } from "../../shared/language.js";
import { link } from "../../shared/router.js";
import { h } from "../../shared/view.js";
import { t } from "../more-strings.js";

export default function blockedScreen() {
  const feed = paged((signal) => pages("GET /v1/blocks", { limit: 50 }, { signal }));
  /** @param {string} userID @param {string} name */
  async function unblock(userID, name) {
    const isSure = await confirmDialog({
      title: t("unblockTitle", { name }),
      message: t("unblockText"),
      confirm: t("unblock"),
    });
    if (!isSure) return;
    await call("DELETE /v1/blocks/{userID}", { userID });
    feed.items.update((all) => all.filter((it) => it.userID !== userID));
  }
  return h(
    "div.prose.stack",
    null,
    h("a.button.quiet.back-link", { href: link("/settings") }, icon("back"), t("settings")),
    h("h1", null, t("blockedPeople")),
    listView(feed, {
      key: (it) => it.userID,
      label: t("blockedPeople"),
      empty: { icon: "block", title: t("noneBlocked"), message: t("noneBlockedHint") },
      render: (item) => {
        const { userID, user, since } = item.get();
        const name = user?.displayName ?? t("someone");
        return h(
          "div",
          null,
          avatar(user),
          h(
            "div.grow",
            null,
            h("p", null, name),
            h("p.soft.small-text", null, t("blockedWhen", { when: relative(since) })),
          ),
          actionButton({ label: t("unblock"), class: "small", run: () => unblock(userID, name) }),
        );
      },
    }),
  );
}
