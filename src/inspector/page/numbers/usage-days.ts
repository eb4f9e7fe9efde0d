/** What was spent on one day from the balance or the card: a row of the response of `/api/user/billing/usage?by=day`. */
export interface UsageDay {
  /** Such as `2026-11-23`, UTC. */
  readonly key: string | null
  readonly paid_from: 'balance' | 'card'
  readonly amount: number
}

const dayMs = 86_400_000

/** Returns the last days in UTC, oldest first: `2026-11-23`. */
export const lastDays = (nowMs: number, days: number): readonly string[] =>
  Array.from({ length: days }, (_, at) => new Date(nowMs - (days - 1 - at) * dayMs).toISOString().slice(0, 10))

/** Returns what was spent from the balance or the card on each of the days, days without charges included. */
export function amountsOf(
  rows: readonly UsageDay[],
  payer: UsageDay['paid_from'],
  days: readonly string[],
): readonly number[] {
  const amounts = new Map(rows.filter((it) => it.paid_from === payer).map((it) => [it.key, it.amount]))
  return days.map((day) => amounts.get(day) ?? 0)
}

/** Adds up amounts in millionths, so that cents are exact. */
export const totalOf = (amounts: readonly number[]): number =>
  amounts.reduce((sum, it) => sum + Math.round(it * 1_000_000), 0) / 1_000_000
