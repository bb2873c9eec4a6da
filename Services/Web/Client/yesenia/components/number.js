// @ts-check
/** What customers and the owner call an order: the end of its id, which differs. @param {{ id: string }} order */
export const orderNumber = ({ id }) => id.slice(-8).toUpperCase().replace(/^(.{4})/, "$1-");
