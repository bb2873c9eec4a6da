// @ts-check
import { Problem } from "./api.js";

/**
 * What `answer` gives. A problem says why in the words of the app, where it has some: `problem-cart-full` is the text of
 * the problem `cart-full`.
 * @template T
 * @param {Promise<T>} answer
 * @param {...Pick<import("./strings.js").Texts<never>, "find">} texts the first that has one is used
 * @returns {Promise<T>}
 */
export async function withLocalizedProblem(answer, ...texts) {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem) {
      const key = `problem-${error.code}`;
      error.detail = texts.map((it) => it.find(key)).find(Boolean) ?? error.detail;
    }
    throw error;
  }
}
