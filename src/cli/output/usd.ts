/** Formats an amount in USD: `25.00 USD`; below 1 USD with three digits, `0.015 USD`. */
export const usd = (amount: number): string => `${amount.toFixed(amount !== 0 && Math.abs(amount) < 1 ? 3 : 2)} USD`
