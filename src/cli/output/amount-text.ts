import type { BillingSummary } from '../../contract/resources/billing.ts'
import { formatAmount, usd } from './usd.ts'

/** Formats an amount in the unit of the account: `25.00 credits`. Unknown amounts and units are named as unknown. */
export function amountText(amount: number | null, unit: BillingSummary['unit']): string {
  if (amount === null) return 'unknown'
  if (unit === 'usd') return usd(amount)
  return `${formatAmount(amount)} ${unit === null ? '(unit unknown)' : `${unit}s`}`
}

/** Formats an estimate like an amount, with at most three decimals. */
export const estimateText = (amount: number | null, unit: BillingSummary['unit']): string =>
  amountText(amount === null ? null : Number(amount.toFixed(3)), unit)
