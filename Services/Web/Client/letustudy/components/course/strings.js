// @ts-check
import { loadStrings } from "../../../shared/strings.js";

/**
 * @template A, B
 * @param {Promise<[{ default: A }, { default: B }]>} modules
 */
const together = async (modules) => {
  const [app, courses] = await modules;
  return { default: { ...app.default, ...courses.default } };
};

/** The texts of the app and those of courses, which its first page does not need. */
export const t = await loadStrings({
  en: () => together(Promise.all([import("../../strings/screens/en.js"), import("./strings/en.js")])),
  de: () => together(Promise.all([import("../../strings/screens/de.js"), import("./strings/de.js")])),
});
