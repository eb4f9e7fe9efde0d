/**
 * Price of a message in micro-USD, by the category of its template; `freeform` inside the 24-hour window. The
 * specification gives no prices: assumed. The platform charges them, and reports them to commands as the `prices` of
 * billing.
 */
export const messagePrices: Readonly<Record<string, number>> = {
  marketing: 25_000,
  utility: 8_000,
  authentication: 6_000,
  freeform: 4_000,
}

/** Returns the price of a category in micro-USD. Unknown categories have the highest price of the table. */
export const messagePriceOf = (category: string): number =>
  messagePrices[category] ?? Math.max(...Object.values(messagePrices))
