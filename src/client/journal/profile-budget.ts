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
import { followJournal, lineStarts, timeIn } from './follow-journal.ts'
import { journalLines } from './journal.ts'
import {
  type BudgetCheck,
  isOnPlatform,
  type JournalEntry,
  movesMoney,
  type OperationIntent,
} from './open-operations.ts'
import { waitingIdOf } from './outcome-detail.ts'

/** Whose operations count: those of a profile, and those of its account on its platform under other profiles. */
type Spender = Pick<OperationIntent, 'profile' | 'baseUrl' | 'keyMark'>

/** The budget of a profile. */
export interface ProfileBudget extends Budget {
  /** The name of the profile, also if another base URL was given. */
  readonly profile: string
  /** Returns whether two keys, given by their prefixes, are known to belong to the same account (default: none are). */
  readonly isSameAccount?: (a: string, b: string) => boolean
}

/**
 * What was spent of a budget in the current period. Amounts are in USD. `profile list` and `profile get` print it as JSON,
 * which scripts read: fields are added, not renamed.
 */
export interface BudgetUse {
  readonly amount: number
  readonly period: Budget['period']
  /** What was charged, and the maximum of what may have been. */
  readonly spent: number
  /** The part of `spent` that is reserved for what waits for the contact hours, or waited and was started by the platform. */
  readonly reserved: number
  readonly left: number
  /** ISO 8601. */
  readonly renews_at: string
  /** Operations that count as free, because the journal knows no price of them. */
  readonly unpriced: number
}

/** Adds up what counts against a budget. */
interface SpendingMeter {
  /** Returns micro-USD, and the number of operations without a known price. */
  read(): { readonly spent: number; readonly reserved: number; readonly unpriced: number }
  /** Returns the micro-USD that are reserved for what an operation starts now, so that it does not count twice. */
  reservedFor(intent: OperationIntent): number
}

type Line = Readonly<Record<string, unknown>>

/** An entry with its micro-USD; undefined if its price is not known. */
interface Counted {
  readonly entry: JournalEntry
  readonly amount: number | undefined
}

/** Returns the id of what an operation starts before the contact hours open; undefined for other operations. */
const startedId = ({ endpoint, input }: OperationIntent): string | undefined =>
  endpoint === 'contacts.sendWaiting' ? String((input as { readonly waiting_id?: unknown }).waiting_id) : undefined

const isWithoutEffect = ({ state }: Pick<JournalEntry, 'state'>): boolean =>
  state === 'refused' || state === 'cancelled'

/** Returns what an entry counts in micro-USD; undefined if its price is not known. */
function countedAmount({ state, detail, priceUsd, maxPriceUsd }: Omit<JournalEntry, 'id' | 'at'>): number | undefined {
  if (isWithoutEffect({ state })) return 0
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
  const amounts = new Map<string, Counted>()
  /** Entries of what waits, by its id, and those that start it. */
  const waiting = new Map<string, string[]>()
  const starts = new Set<string>()
  let [spent, reserved, unpriced] = [0, 0, 0]
  const tally = ({ entry, amount }: Counted, sign: 1 | -1): void => {
    spent += sign * (amount ?? 0)
    if (amount === undefined) unpriced += sign
    if (waitingIdOf(entry) !== undefined) reserved += sign * (amount ?? 0)
  }
  const put = (id: string, entry: JournalEntry): void => {
    const [before, counted] = [amounts.get(id), { entry, amount: countedAmount(entry) }]
    if (before) tally(before, -1)
    tally(counted, 1)
    amounts.set(id, counted)
    const waitingId = waitingIdOf(entry)
    if (waitingId !== undefined) waiting.set(`${waitingId}`, [...(waiting.get(`${waitingId}`) ?? []), id])
    if (startedId(entry) !== undefined) starts.add(id)
  }
  const isSameKey = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && b !== undefined && (a === b || isSameAccount(a, b))
  const counts = (entry: OperationIntent): boolean =>
    movesMoney(entry) &&
    (entry.profile === profile || (isOnPlatform(entry, { profile, baseUrl }) && isSameKey(entry.keyMark, keyMark)))
  /** Returns the entry of what an operation starts; undefined if it was not requested here, or in an earlier period. */
  const reservationOf = (intent: OperationIntent): string | undefined =>
    waiting.get(startedId(intent) ?? '')?.findLast((id) => {
      const entry = amounts.get(id)?.entry
      return (
        entry &&
        waitingIdOf(entry) !== undefined &&
        isOnPlatform(entry, intent) &&
        isSameKey(entry.keyMark, intent.keyMark)
      )
    })
  const amountOf = (id: string): number => amounts.get(id)?.amount ?? 0
  /** Returns the entries of what waited and was started here, which counts by the entry that started it. */
  const replaced = (): Set<string> => {
    const found = new Set<string>()
    for (const id of starts) {
      const { entry, amount } = amounts.get(id) as Counted
      const reservation = amount === undefined || isWithoutEffect(entry) ? undefined : reservationOf(entry)
      if (reservation !== undefined) found.add(reservation)
    }
    return found
  }
  const add = (line: string): void => {
    if (line.startsWith(lineStarts.intent)) {
      if (timeIn(line) < from) return
      const record: Line | undefined = parseJsonLine(line)
      const entry = { ...record, state: 'open' } as unknown as JournalEntry
      if (record && counts(entry)) put(String(record.intent), entry)
    } else if (line.startsWith(lineStarts.outcome)) {
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
  // Before the lines are read: a line that is written in between is then read twice, which changes nothing, and not missed.
  const follower = followJournal(file, from)
  for (const line of lines()) add(line)
  return {
    read() {
      for (const line of follower.newLines()) add(line)
      let started = 0
      for (const id of replaced()) started += amountOf(id)
      return { spent: spent - started, reserved: reserved - started, unpriced }
    },
    reservedFor(intent) {
      const id = reservationOf(intent)
      return id === undefined || replaced().has(id) ? 0 : amountOf(id)
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
  const { spent, reserved, unpriced } = openMeter(journal, spender, isSameAccount, start).read()
  return {
    amount: fromMillionths(amount),
    period,
    spent: fromMillionths(spent),
    reserved: fromMillionths(reserved),
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
    const { meter } = opened
    const left = Math.max(0, amount - meter.read().spent + meter.reservedFor(intent))
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
