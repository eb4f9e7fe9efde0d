/**
 * Converts an amount of money to millionths of its unit, in which the platform stores and computes amounts. The API has the
 * amount (`fromMillionths`), rows the millionths.
 */
export const toMillionths = (amount: number): number => Math.round(amount * 1_000_000)

/** Converts millionths to an amount of money. */
export const fromMillionths = (millionths: number): number => millionths / 1_000_000
