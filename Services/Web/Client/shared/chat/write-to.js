// @ts-check
import { call } from "../api.js";
import { go } from "../router.js";

/** Opens the conversation with someone, which begins by that. @param {string} userID */
export async function writeTo(userID) {
  const { id } = await call("POST /v1/conversations", { body: { userID } });
  await go(`/messages/${id}`);
}
