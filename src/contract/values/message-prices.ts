/** What a message costs, in micro-USD, by the category of its template; `freeform` inside the 24-hour window. The specification names no prices: assumed. */
export const messagePrices: Readonly<Record<string, number>> = {
  marketing: 25_000,
  utility: 8_000,
  authentication: 6_000,
  freeform: 4_000,
}

/** The price of a category; one that is not in the table costs as much as the dearest. */
export const messagePriceOf = (category: string): number =>
  messagePrices[category] ?? Math.max(...Object.values(messagePrices))
