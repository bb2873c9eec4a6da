// @ts-check
/** People with whom the user wants nothing to do. */
import { call, pages } from "../api.js";
import { confirmDialog } from "../components/dialog.js";
import { actionButton } from "../components/form.js";
import { listView, paged } from "../components/list.js";
import { avatar } from "../components/picture.js";
import { toast } from "../components/toast.js";
import { relative } from "../language.js";
import { h } from "../view.js";
import { t } from "./strings.js";

/**
 * Blocks someone after a question.
 * @param {string} userID
 * @param {string} name
 * @param {string} message what a block means in this app
 * @returns {Promise<boolean>} whether it was done
 */
export async function block(userID, name, message) {
  const isSure = await confirmDialog({
    title: t("blockTitle", { name }),
    message,
    confirm: t("block"),
    isDangerous: true,
  });
  if (!isSure) return false;
  await call("PUT /v1/blocks/{userID}", { userID });
  toast(t("blocked", { name }), { kind: "success" });
  return true;
}

/** Those whom the user has blocked. @param {{ unblockMessage: string }} options what the end of a block means in this app */
export function blockedPeople({ unblockMessage }) {
  const feed = paged((signal) => pages("GET /v1/blocks", { limit: 50 }, { signal }));
  /** @param {string} userID @param {string} name */
  async function unblock(userID, name) {
    const isSure = await confirmDialog({
      title: t("unblockTitle", { name }),
      message: unblockMessage,
      confirm: t("unblock"),
    });
    if (!isSure) return;
    await call("DELETE /v1/blocks/{userID}", { userID });
    feed.items.update((all) => all.filter((it) => it.userID !== userID));
  }
  return listView(feed, {
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
  });
}
