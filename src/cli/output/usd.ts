/** Formats an amount of money with at least two decimals, and more where it has them: `25.00`, `0.20`, `0.008`. */
export const formatAmount = (amount: number): string => amount.toFixed(6).replace(/0{1,4}$/, '')

/** Formats an amount in USD: `25.00 USD`, `0.008 USD`. */
export const usd = (amount: number): string => `${formatAmount(amount)} USD`
