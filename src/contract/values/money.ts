/** Units of amounts. A credit is 1 USD. */
export const moneyUnits = ['credit', 'minute', 'usd'] as const

/** Unit of an amount; null if the platform does not say. */
export type MoneyUnit = (typeof moneyUnits)[number] | null

/** Formats a number of USD or minutes with at least two decimals, and more where it has them: `25.00`, `0.20`, `0.008`. */
export const formatAmount = (amount: number): string => amount.toFixed(6).replace(/0{1,4}$/, '')

/** Formats an amount in USD: `25.00 USD`, `0.008 USD`. */
export const usd = (amount: number): string => `${formatAmount(amount)} USD`

/**
 * Formats an amount with its unit: `25.00 USD`, `12.50 minutes`. A credit of a tenant account is 1 USD, so balances and
 * prices are read in the same unit. Unknown amounts and units are named as unknown.
 */
export function amountText(amount: number | null, unit: MoneyUnit): string {
  if (amount === null) return 'unknown'
  if (unit === 'usd' || unit === 'credit') return usd(amount)
  return `${formatAmount(amount)} ${unit === null ? '(unit unknown)' : 'minutes'}`
}

/** Formats an estimate like an amount, with at most three decimals. */
export const estimateText = (amount: number | null, unit: MoneyUnit): string =>
  amountText(amount === null ? null : Number(amount.toFixed(3)), unit)
