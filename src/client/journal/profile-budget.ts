// The soft budget of a profile: what the journal knows to have been spent in a UTC day or month of the real clock. What may
// have been spent counts with its maximum. It is checked under the lock of the journal, so that two processes cannot pass
// it together.

import type { Budget } from '../../contract/values/budgets.ts'
import { budgetWindow } from '../../contract/values/calendar-periods.ts'
import { fromMillionths, toMillionths } from '../../contract/values/millionths.ts'
import { usd } from '../../contract/values/money.ts'
import { stringifyJson } from '../../node/json.ts'
import { parseJsonLine } from '../../node/ndjson.ts'
import { ClientFailure } from '../failures/client-failure.ts'
import { followJournal, timeIn } from './follow-journal.ts'
import { journalLines } from './journal.ts'
import {
  type BudgetCheck,
  isOnPlatform,
  type JournalEntry,
  movesMoney,
  type OperationIntent,
} from './open-operations.ts'

/** Whose operations count: those of a profile, and those of its account on its platform under other profiles. */
type Spender = Pick<OperationIntent, 'profile' | 'baseUrl' | 'keyMark'>

/** The budget of a profile. */
export interface ProfileBudget extends Budget {
  /** The name of the profile, also if another base URL was given. */
  readonly profile: string
  /** Returns whether two keys, given by their prefixes, are known to belong to the same account (default: none are). */
  readonly isSameAccount?: (a: string, b: string) => boolean
}

/** What was spent of a budget in the current period. Amounts are in USD. */
export interface BudgetUse {
  readonly amount: number
  readonly period: Budget['period']
  /** What was charged, and the maximum of what may have been. */
  readonly spent: number
  readonly left: number
  /** ISO 8601. */
  readonly renews_at: string
  /** Operations that count as free, because the journal knows no price of them. */
  readonly unpriced: number
}

/** Adds up what counts against a budget. */
interface SpendingMeter {
  /** Returns micro-USD, and the number of operations without a known price. */
  read(): { readonly spent: number; readonly unpriced: number }
}

type Line = Readonly<Record<string, unknown>>

/** Returns what an entry counts in micro-USD; undefined if its price is not known. */
function countedAmount({ state, detail, priceUsd, maxPriceUsd }: Omit<JournalEntry, 'id' | 'at'>): number | undefined {
  if (state === 'refused' || state === 'cancelled') return 0
  const { costUsd } = (detail ?? {}) as { readonly costUsd?: unknown }
  const amount = state === 'done' && typeof costUsd === 'number' ? costUsd : (priceUsd ?? maxPriceUsd)
  return amount === undefined || !Number.isFinite(amount) ? undefined : toMillionths(Math.max(0, amount))
}

/** Opens a meter that reads all lines once, and then only new ones. `since` is in milliseconds since 1970. */
function openMeter(
  { file, lines }: { readonly file: string; readonly lines: () => Iterable<string> },
  { profile, baseUrl, keyMark }: Spender,
  isSameAccount: NonNullable<ProfileBudget['isSameAccount']>,
  since: number,
): SpendingMeter {
  const from = new Date(since).toISOString()
  const amounts = new Map<string, { readonly entry: JournalEntry; readonly amount: number | undefined }>()
  let [spent, unpriced] = [0, 0]
  const put = (id: string, entry: JournalEntry): void => {
    const [before, amount] = [amounts.get(id), countedAmount(entry)]
    if (before) [spent, unpriced] = [spent - (before.amount ?? 0), unpriced - (before.amount === undefined ? 1 : 0)]
    ;[spent, unpriced] = [spent + (amount ?? 0), unpriced + (amount === undefined ? 1 : 0)]
    amounts.set(id, { entry, amount })
  }
  const counts = (entry: OperationIntent): boolean =>
    movesMoney(entry) &&
    (entry.profile === profile ||
      (entry.keyMark !== undefined &&
        keyMark !== undefined &&
        isOnPlatform(entry, { profile, baseUrl }) &&
        (entry.keyMark === keyMark || isSameAccount(entry.keyMark, keyMark))))
  const add = (line: string): void => {
    if (line.startsWith('{"intent":"')) {
      if (timeIn(line) < from) return
      const record: Line | undefined = parseJsonLine(line)
      const entry = { ...record, state: 'open' } as unknown as JournalEntry
      if (record && counts(entry)) put(String(record.intent), entry)
    } else if (line.startsWith('{"outcome":"')) {
      const record: Line | undefined = parseJsonLine(line)
      const known = record && amounts.get(String(record.outcome))
      if (known)
        put(String(record.outcome), {
          ...known.entry,
          state: record.state as JournalEntry['state'],
          detail: record.detail,
        })
    }
  }
  const follower = followJournal(file, from)
  for (const line of lines()) add(line)
  return {
    read() {
      for (const line of follower.newLines()) add(line)
      return { spent, unpriced }
    },
  }
}

const never = (): boolean => false

/** Returns what was spent of a budget, from the lines of the journal. `now` is in milliseconds since 1970. */
export function readBudgetUse(
  journal: { readonly file: string; readonly lines: () => Iterable<string> },
  { amount, period, isSameAccount = never }: ProfileBudget,
  spender: Spender,
  now: number,
): BudgetUse {
  const { start, end } = budgetWindow(period, now)
  const { spent, unpriced } = openMeter(journal, spender, isSameAccount, start).read()
  return {
    amount: fromMillionths(amount),
    period,
    spent: fromMillionths(spent),
    left: fromMillionths(Math.max(0, amount - spent)),
    renews_at: new Date(end).toISOString(),
    unpriced,
  }
}

/**
 * Creates the check of intents against a budget. It is called under the lock of the journal, right before an intent is
 * written, and remembers what it has read.
 */
export function createBudgetCheck(
  file: string,
  { amount, period, profile, isSameAccount = never }: ProfileBudget,
): BudgetCheck {
  const journal = { file, lines: () => journalLines(file) }
  let opened: { readonly key: string; readonly meter: SpendingMeter } | undefined
  return (intent, now) => {
    if (!movesMoney(intent)) return
    const cost = countedAmount({ ...intent, state: 'open' })
    if (cost === 0) return
    const { start, end } = budgetWindow(period, now)
    const key = stringifyJson([start, intent.profile, intent.baseUrl, intent.keyMark])
    if (opened?.key !== key) opened = { key, meter: openMeter(journal, intent, isSameAccount, start) }
    const left = Math.max(0, amount - opened.meter.read().spent)
    if (cost !== undefined && cost <= left) return
    const [all, rest] = [amount, left].map((it) => usd(fromMillionths(it)))
    const what =
      cost === undefined
        ? 'The highest price of this is not known before it is charged, so that the budget cannot be checked.'
        : `This can cost ${usd(fromMillionths(cost))}.`
    throw new ClientFailure({
      exit: 'payment',
      code: 'profile_budget_exceeded',
      message: `The budget of profile "${profile}" is ${all} a ${period}, and ${rest} are left until ${new Date(end).toISOString().slice(0, 16).replace('T', ' ')} UTC. ${what} Nothing was sent.`,
      hint: `${cost === undefined ? '' : 'What has an unknown outcome counts until it is known: parley ops reconcile. '}A person can change the budget: parley profile set ${profile} --budget <usd>/${period}.`,
      sent: false,
    })
  }
}
