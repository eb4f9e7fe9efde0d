import type { BudgetPeriod } from './budgets.ts'

/** Returns the start and end of the calendar month (UTC) of a time, in milliseconds since 1970. */
export function monthOf(now: number): { readonly start: number; readonly end: number } {
  const at = new Date(now)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
}

/**
 * Returns the first and last moment (exclusive) of the UTC day or month of a time in milliseconds. The platform counts the
 * budget of a key in it, and the client that of a profile.
 */
export function budgetWindow(period: BudgetPeriod, nowMs: number): { readonly start: number; readonly end: number } {
  if (period === 'month') return monthOf(nowMs)
  const dayMs = 86_400_000
  const start = Math.floor(nowMs / dayMs) * dayMs
  return { start, end: start + dayMs }
}
