import { toMillionths } from './millionths.ts'

/** Periods of budgets, in UTC. Rows of keys and profiles of users have them. */
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
