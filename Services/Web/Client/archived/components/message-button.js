// @ts-check
import { writeTo } from "../../shared/chat/write-to.js";
import { actionButton } from "../../shared/components/form.js";
import { t } from "../screen-strings.js";

/**
 * Opens the conversation with a person, about a listing if one is named.
 * @param {string} userID
 * @param {{ listing?: string, class?: string }} [options]
 */
export const messageButton = (userID, { listing, class: kind = "" } = {}) =>
  actionButton({ label: t("message"), icon: "chat", class: kind, run: () => writeTo(userID, listing) });
