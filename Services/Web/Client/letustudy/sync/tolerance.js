// @ts-check
/** How far a device's clock may be off without a correction, in milliseconds. */
export const TOLERANCE = 60_000;
