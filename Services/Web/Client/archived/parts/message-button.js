// @ts-check
import { call } from "../../shared/api.js";
import { actionButton } from "../../shared/components/form.js";
import { go } from "../../shared/router.js";
import { t } from "../more-strings.js";

/**
 * Opens the conversation with a person, about a listing if one is named.
 * @param {string} userID
 * @param {{ listing?: string, class?: string }} [options]
 */
export const messageButton = (userID, { listing: listingID, class: kind = "" } = {}) =>
  actionButton({
    label: t("message"),
    icon: "chat",
    class: kind,
    run: async () => {
      const conversation = await call("POST /v1/conversations", { body: { userID, listingID } });
      await go(`/inbox/${conversation.id}`);
    },
  });
