import { toMillionths } from './millionths.ts'
import { monthOf } from './usage-forecast.ts'

/** Scopes of API keys. `write` includes `read`, and `spend` includes `write`. `approve` includes no other. */
export const keyScopes = ['read', 'write', 'spend', 'approve'] as const
export type KeyScope = (typeof keyScopes)[number]

const included: Readonly<Record<KeyScope, readonly KeyScope[]>> = {
  read: ['read'],
  write: ['read', 'write'],
  spend: ['read', 'write', 'spend'],
  approve: ['approve'],
}

/** Returns whether a key may do what a scope permits. A key without a scope (null) has every right but `approve`. */
export const includesScope = (scope: KeyScope | null, needed: KeyScope): boolean =>
  included[scope ?? 'spend'].includes(needed)

/** Periods of budgets, in UTC. */
export const budgetPeriods = ['day', 'month'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]

/** What a key may spend in a calendar day or month (UTC), in micro-USD. */
export interface Budget {
  readonly amount: number
  readonly period: BudgetPeriod
}

/** Form of a budget in USD: `20/day`, `0.5/month`. */
export const budgetPattern = /^(\d{1,9}(?:\.\d{1,6})?)\/(day|month)$/

/** Parses a budget such as `20/day`; undefined for other text. */
export function parseBudget(text: string): Budget | undefined {
  const [, usd, period] = budgetPattern.exec(text) ?? []
  return usd === undefined ? undefined : { amount: toMillionths(Number(usd)), period: period as BudgetPeriod }
}

/** Returns the first and last moment (exclusive) of the UTC day or month of a time in milliseconds. */
export function budgetWindow(period: BudgetPeriod, nowMs: number): { readonly start: number; readonly end: number } {
  if (period === 'month') return monthOf(nowMs)
  const dayMs = 86_400_000
  const start = Math.floor(nowMs / dayMs) * dayMs
  return { start, end: start + dayMs }
}
