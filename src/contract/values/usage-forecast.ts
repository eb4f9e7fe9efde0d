import { monthOf } from './calendar-periods.ts'

/** Days that the average is taken over at most. */
const maxBasisDays = 30
const dayMs = 24 * 60 * 60 * 1000

interface ForecastInput {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Time from which `recent` was added up; at least one day is assumed. */
  readonly basisStart: number
  /** Spent from the balance since `basisStart`, and since the start of the month; null if unknown. */
  readonly recent: number | null
  readonly month: number | null
  readonly balance: number | null
}

/** Expected spending in the current month, from the average of past days. */
export interface Forecast {
  readonly basisDays: number
  readonly averagePerDay: number | null
  /** Expected in the whole month: what was spent, and the average for each day that is left. */
  readonly monthTotal: number | null
  /** Days that the balance lasts at the average, at most 10 000; null if nothing was spent or a figure is unknown. */
  readonly daysLeft: number | null
}

/** Returns the start of the period that the average of a forecast is taken over: 30 days, or the age of the account. */
export const basisStart = (now: number, createdAt = 0): number => Math.max(now - maxBasisDays * dayMs, createdAt)

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

/**
 * Forecasts the month and the days that a balance lasts. All amounts have the same unit. A Parley server forecasts from its
 * ledger; for other platforms the command does, from lists. Both are the `forecast` of `BillingSummary`.
 */
export function forecastUsage({ now, basisStart: from, recent, month, balance }: ForecastInput): Forecast {
  const basisDays = rounded(Math.max(1, (now - from) / dayMs), 2)
  const average = recent === null ? null : Math.max(0, recent) / basisDays
  const left = (monthOf(now).end - now) / dayMs
  return {
    basisDays,
    averagePerDay: average,
    monthTotal: average === null || month === null ? null : month + average * left,
    daysLeft: average === null || balance === null || average === 0 ? null : lasting(balance / average),
  }
}

const lasting = (days: number): number => Math.min(10_000, rounded(Math.max(0, days), 1))
