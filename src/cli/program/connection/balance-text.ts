import { type BillingSummary, billing } from '../../../contract/resources/billing.ts'
import { amountText } from '../../../contract/values/money.ts'
import type { Context } from '../context.ts'

/**
 * Formats the balance of the account in its unit: `25.00 credits`. Tenant accounts pay in credits, direct accounts in
 * minutes, and only platforms with the capability "billing" say which. Elsewhere the unit is named as unknown.
 */
export async function balanceText(context: Context, balance: unknown): Promise<string> {
  const amount = Number(balance)
  return Number.isFinite(amount) ? amountText(amount, await balanceUnit(context)) : String(balance)
}

/** Returns the unit of the balance; null if the platform does not say. */
export async function balanceUnit(context: Context): Promise<BillingSummary['unit']> {
  if (!(await context.supports('billing'))) return null
  try {
    return (await context.call(billing.summary, {})).data.unit
  } catch (error) {
    // The amount is known without it.
    if (context.system.signal.aborted) throw error
    return null
  }
}
