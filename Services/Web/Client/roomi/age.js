// @ts-check
/**
 * Whole years since a birthday.
 * @param {string} birthday such as `2001-05-06`
 * @param {Date} [today]
 */
export function age(birthday, today = new Date()) {
  const [year, month, day] = birthday.split("-").map(Number);
  const isBefore = today.getMonth() + 1 < month || (today.getMonth() + 1 === month && today.getDate() < day);
  return today.getFullYear() - year - (isBefore ? 1 : 0);
}
