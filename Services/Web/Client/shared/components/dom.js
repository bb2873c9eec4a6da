// @ts-check
/** Small helpers of the components. */
let count = 0;

/** An id that is unique in the page, for labels and descriptions. @param {string} prefix */
export const uniqueID = (prefix) => `${prefix}-${++count}`;
