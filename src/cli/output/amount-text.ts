import type { BillingSummary } from '../../contract/resources/billing.ts'
import { usd } from './usd.ts'

/** Formats an amount in the unit of the account: `25.00 credits`. Unknown amounts and units are named as unknown. */
export function amountText(amount: number | null, unit: BillingSummary['unit']): string {
  if (amount === null) return 'unknown'
  if (unit === 'usd') return usd(amount)
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 3 : 2
  return `${amount.toFixed(digits)} ${unit === null ? '(unit unknown)' : `${unit}s`}`
}
