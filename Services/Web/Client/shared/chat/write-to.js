// @ts-check
import { call } from "../api.js";
import { go } from "../router.js";

/** Opens the conversation with someone, which begins by that. @param {string} userID @param {string} [listingID] what it is about */
export async function writeTo(userID, listingID) {
  const { id } = await call("POST /v1/conversations", { body: { userID, listingID } });
  await go(`/messages/${id}`);
}
