/** Movement of an account's balance or card. */
export interface LedgerEntry {
  readonly id: number
  readonly kind: string
  readonly unit: string
  readonly amount: number
  readonly balance_after: number | null
  readonly reason: string
  readonly reference: string | null
  readonly created_at: string
}

/** What was charged on one day. */
export interface DaySpend {
  /** Such as `2026-11-23`. */
  readonly day: string
  readonly amount: number
}

const dayMs = 86_400_000

/**
 * Returns what was charged on each of the last days, oldest first, days without charges included. Refunds reduce it.
 * `dayOf` returns the day of a time.
 */
export function spendByDay(
  entries: readonly LedgerEntry[],
  nowMs: number,
  days: number,
  dayOf: (iso: string) => string,
): DaySpend[] {
  const amounts = new Map<string, number>()
  for (const it of entries) {
    if (it.kind === 'top_up') continue
    const isCard = it.kind.startsWith('card_')
    const spent = isCard ? (it.kind === 'card_charge' ? Math.abs(it.amount) : -Math.abs(it.amount)) : -it.amount
    const day = dayOf(it.created_at)
    amounts.set(day, (amounts.get(day) ?? 0) + spent)
  }
  return Array.from({ length: days }, (_, at) => {
    const day = dayOf(new Date(nowMs - (days - 1 - at) * dayMs).toISOString())
    return { day, amount: Math.max(0, amounts.get(day) ?? 0) }
  })
}
