// Answers of the API and of commands have the units, kinds and payers of these lists: words are added, not renamed.

/** Units of amounts. A credit of a tenant account is 1 USD, so its balance is in USD. */
export const moneyUnits = ['usd', 'minute'] as const

/** Unit of an amount; null if the platform does not say. */
export type MoneyUnit = (typeof moneyUnits)[number] | null

/** Formats a number of USD or minutes with at least two decimals, and more where it has them: `25.00`, `0.20`, `0.008`. */
const formatAmount = (amount: number): string => amount.toFixed(6).replace(/0{1,4}$/, '')

/** Formats an amount in USD: `25.00 USD`, `0.008 USD`. */
export const usd = (amount: number): string => `${formatAmount(amount)} USD`

/**
 * Formats an amount with its unit: `25.00 USD`, `12.50 minutes`. Unknown amounts and units are named as unknown. A unit
 * that is not in the list is USD: Parley servers before 0.2.0 name the one of tenant accounts "credit".
 */
export function amountText(amount: number | null, unit: MoneyUnit): string {
  if (amount === null) return 'unknown'
  if (unit === null) return `${formatAmount(amount)} (unit unknown)`
  return unit === 'minute' ? `${formatAmount(amount)} minutes` : usd(amount)
}

/** Formats an estimate like an amount, with at most three decimals. */
export const estimateText = (amount: number | null, unit: MoneyUnit): string =>
  amountText(amount === null ? null : Number(amount.toFixed(3)), unit)

/** Kinds of usage. */
export const usageKinds = ['calls', 'conversations', 'messages', 'sms', 'numbers', 'other'] as const
export type UsageKind = (typeof usageKinds)[number]

/** What pays: the balance, or the payment method on file. */
export const payers = ['balance', 'card'] as const

/** Returns what pays for a kind of usage: phone numbers are paid with the payment method, everything else from the balance. */
export const paidFromOf = (kind: UsageKind): (typeof payers)[number] => (kind === 'numbers' ? 'card' : 'balance')
