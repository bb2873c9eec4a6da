// @ts-check
import { call } from "../../shared/api.js";
import { go } from "../../shared/router.js";

/** Opens the conversation with a match, which begins by that. @param {string} userID */
export async function writeTo(userID) {
  const { id } = await call("POST /v1/conversations", { body: { userID } });
  await go(`/messages/${id}`);
}
