import type { UsageRow } from '../../../contract/resources/billing.ts'
import { type MoneyUnit, paidFromOf, type UsageKind } from '../../../contract/values/money.ts'
import type { LedgerRow } from '../../store/billing/ledger.ts'

/** The fields of a ledger entry that usage is computed from. */
export type LedgerAmount = Pick<LedgerRow, 'kind' | 'unit' | 'amount' | 'reference' | 'created_at'>

/** What was spent, in millionths of `unit`: charges less refunds. */
export interface UsageTotal {
  readonly unit: NonNullable<MoneyUnit>
  readonly amount: number
  /** Number of charges. */
  readonly charges: number
  readonly paid_from: UsageRow['paid_from']
}

/** Returns the unit of a ledger entry. The ledger has credits of tenant accounts; a credit is 1 USD. */
export const unitOf = ({ unit }: Pick<LedgerRow, 'unit'>): NonNullable<MoneyUnit> => (unit === 'minute' ? unit : 'usd')

const kindsByReference: Readonly<Record<string, UsageKind>> = {
  call: 'calls',
  chat: 'conversations',
  message: 'messages',
  sms: 'sms',
}

/** Returns whether a ledger entry is a charge or refund, and neither money that was added nor a corrected balance. */
export const isUsage = ({ kind }: Pick<LedgerAmount, 'kind'>): boolean => kind !== 'top_up' && kind !== 'correction'

/** Returns the kind of usage that a ledger entry paid for, by its reference: `call-7-...` is a call. The ledger has these references, so their forms never change. */
export function usageKindOf({ kind, reference }: Pick<LedgerAmount, 'kind' | 'reference'>): UsageKind {
  if (kind === 'card_charge' || kind === 'card_refund') return 'numbers'
  return kindsByReference[/^([a-z]+)-/.exec(reference ?? '')?.[1] ?? ''] ?? 'other'
}

/** Returns the id in the reference of a charge: 7 of `call-7-...`. */
export const referencedId = ({ reference }: Pick<LedgerAmount, 'reference'>): number | undefined => {
  const id = /^(?:call|chat|message|sms)-(\d{1,15})-/.exec(reference ?? '')?.[1]
  return id === undefined ? undefined : Number(id)
}

/** Adds up usage by key and by what paid for it. */
export class UsageTotals<K extends string | number | null> {
  private readonly totals = new Map<string, { -readonly [P in keyof UsageTotal]: UsageTotal[P] } & { key: K }>()

  /** Adds an entry if it is usage. */
  add(key: K, entry: LedgerAmount): void {
    if (!isUsage(entry)) return
    const paid_from = paidFromOf(usageKindOf(entry))
    const id = `${entry.unit} ${paid_from} ${key}`
    const total = this.totals.get(id) ?? { key, unit: unitOf(entry), amount: 0, charges: 0, paid_from }
    total.amount -= entry.amount
    if (entry.amount < 0) total.charges++
    this.totals.set(id, total)
  }

  /** Returns the totals in the order in which their keys were added. */
  list(): readonly (UsageTotal & { readonly key: K })[] {
    return [...this.totals.values()]
  }
}
