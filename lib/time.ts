/** Units of time. */

/** A day without a change of the clock. */
export const DAY_MILLISECONDS = 86_400_000;
