import type { UsageKind } from '../../contract/resources/billing.ts'
import type { LedgerRow } from '../../store/billing/ledger.ts'

/** The fields of a ledger entry that usage is computed from. */
export type LedgerAmount = Pick<LedgerRow, 'kind' | 'unit' | 'amount' | 'reference' | 'created_at'>

/** What was spent, in millionths of `unit`: charges less refunds. */
export interface UsageTotal {
  readonly unit: LedgerRow['unit']
  readonly amount: number
  /** Number of charges. */
  readonly charges: number
}

const kindsByReference: Readonly<Record<string, UsageKind>> = {
  call: 'calls',
  chat: 'conversations',
  message: 'messages',
  sms: 'sms',
}

/** Returns whether a ledger entry is a charge or refund, and neither money that was added nor a corrected balance. */
export const isUsage = ({ kind }: Pick<LedgerAmount, 'kind'>): boolean => kind !== 'top_up' && kind !== 'correction'

/** Returns the kind of usage that a ledger entry paid for, by its reference: `call-7-...` is a call. */
export function usageKindOf({ kind, reference }: Pick<LedgerAmount, 'kind' | 'reference'>): UsageKind {
  if (kind === 'card_charge' || kind === 'card_refund') return 'numbers'
  return kindsByReference[/^([a-z]+)-/.exec(reference ?? '')?.[1] ?? ''] ?? 'other'
}

/** Returns the id in the reference of a charge: 7 of `call-7-...`. */
export const referencedId = ({ reference }: Pick<LedgerAmount, 'reference'>): number | undefined => {
  const id = /^(?:call|chat|message|sms)-(\d{1,15})-/.exec(reference ?? '')?.[1]
  return id === undefined ? undefined : Number(id)
}

/** Adds up usage by key and unit. */
export class UsageTotals<K extends string | number | null> {
  private readonly totals = new Map<string, { key: K; unit: LedgerRow['unit']; amount: number; charges: number }>()

  /** Adds an entry if it is usage. */
  add(key: K, entry: LedgerAmount): void {
    if (!isUsage(entry)) return
    const id = `${entry.unit} ${key}`
    const total = this.totals.get(id) ?? { key, unit: entry.unit, amount: 0, charges: 0 }
    total.amount -= entry.amount
    if (entry.amount < 0) total.charges++
    this.totals.set(id, total)
  }

  /** Returns the totals in the order in which their keys were added. */
  list(): readonly (UsageTotal & { readonly key: K })[] {
    return [...this.totals.values()]
  }
}
