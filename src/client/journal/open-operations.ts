// Which entries of the journal stop an operation because it may have been carried out already. `searchTexts` must select
// every line that `isSameOperation` accepts: a line that is missed means that money is spent twice.

import { formatDuration } from '../../contract/values/duration.ts'
import { redactValue } from '../../contract/values/redact.ts'
import { canonicalJson } from '../../node/canonical-json.ts'
import { stringifyJson } from '../../node/json.ts'
import { isRunning, type ProcessIdentity, type ProcessOwner } from '../../node/process-identity.ts'
import { ClientFailure, reconcileCommands } from '../failures/client-failure.ts'
import { addressKey, isLoopback, localPlatform } from '../transport/platform-address.ts'

/**
 * The criteria by which the CLI chose a number. Two purchases with the same criteria are the same operation, even if they
 * found different numbers. Lines of the journal have them, so a later version makes the same ones of the same flags.
 */
export type Selection = Readonly<Record<string, string>>

/** The user's options for billable operations. */
export interface BillableOptions {
  /** Idempotency key for calls without a separate one (default: a new key for each call). */
  readonly idempotencyKey?: string | undefined
  /** Prefix of the id of an open journal entry that does not stop the same operation. */
  readonly ignoreOpen?: string | undefined
  /** Maximum cost of the command in USD. */
  readonly budgetUsd?: number | undefined
  /** Returns whether two keys, given by their prefixes, are known to belong to the same account. */
  readonly sameAccount?: (a: string, b: string) => boolean
}

/**
 * Returns whether an open journal entry stops an operation. It does not if the operation has the same key and the
 * platform honors idempotency keys.
 */
function isBlocking(
  entry: JournalEntry,
  intent: OperationIntent,
  { ignoreOpen, sameAccount }: BillableOptions = {},
  isIdempotent: boolean,
): boolean {
  if (isIdempotent && entry.idempotencyKey === intent.idempotencyKey) return false
  if (ignoreOpen !== undefined && entry.id.startsWith(ignoreOpen)) return false
  return isSameOperation(entry, intent, sameAccount)
}

/** Returns the open journal entry that stops an operation. */
export const findBlocking = (
  journal: Pick<Journal, 'list'> | undefined,
  intent: OperationIntent,
  options: BillableOptions | undefined,
  isIdempotent: boolean,
): JournalEntry | undefined =>
  journal?.list({ open: true, texts: searchTexts(intent) }).find((it) => isBlocking(it, intent, options, isIdempotent))

/** Returns the newest entry of the same operation that was done at or after a time in milliseconds since 1970. */
export const findRepeated = (
  journal: Pick<Journal, 'list'>,
  intent: OperationIntent,
  since: number,
  { sameAccount }: BillableOptions,
): JournalEntry | undefined =>
  journal
    .list({ texts: searchTexts(intent) })
    .findLast(
      (entry) =>
        entry.state === 'done' &&
        Date.parse(entry.at) >= since &&
        (entry.detail as { replayed?: unknown } | undefined)?.replayed !== true &&
        isSameOperation(entry, intent, sameAccount),
    )

/** Fields that identify an operation. Entries of the same operation have the same values. operation-view.ts of the command line shows one of them as its target. */
const subjectFields = [
  'phone_number',
  'recipient_phone',
  'to',
  'uuid',
  'campaign_id',
  'customer_identifier',
  'waiting_id',
] as const

/** Returns texts that every journal line of the same operation contains, so that other lines need not be parsed. */
export function searchTexts({
  endpoint,
  input,
  selection,
}: Pick<OperationIntent, 'endpoint' | 'input' | 'selection'>): readonly string[] {
  const about = [`"endpoint":${stringifyJson(endpoint)}`]
  const redacted = (redactValue(input) ?? {}) as Readonly<Record<string, unknown>>
  const field = selection ? undefined : subjectFields.find((it) => redacted[it] !== undefined)
  return field === undefined ? about : [...about, `${stringifyJson(field)}:${stringifyJson(redacted[field])}`]
}

/**
 * Returns whether a journal entry is the same operation as an intent: same endpoint, platform and account, and the same
 * content or, for a number chosen by the CLI, the same criteria. `sameAccount` returns whether two key prefixes are
 * known to belong to one account.
 */
function isSameOperation(
  entry: JournalEntry,
  intent: OperationIntent,
  sameAccount: (a: string, b: string) => boolean = () => false,
): boolean {
  if (entry.endpoint !== intent.endpoint || !isOnPlatform(entry, intent)) return false
  const [a, b] = [entry.keyMark, intent.keyMark]
  if (a !== undefined && b !== undefined && a !== b && !sameAccount(a, b)) return false
  // Entries of version 0.1 do not say how the number was chosen.
  if (intent.selection && (entry.selection === undefined || isEqual(entry.selection, intent.selection))) return true
  return isEqual(
    comparableContent(entry.input, intent.input),
    comparableContent(redactValue(intent.input), entry.input),
  )
}

/**
 * Returns the content to compare. Variables that both sides name differently, such as by number, are compared by their
 * values only.
 */
function comparableContent(input: unknown, other: unknown): unknown {
  const [own, theirs] = [variablesOf(input), variablesOf(other)]
  if (!own || !theirs || isEqual(Object.keys(own).sort(), Object.keys(theirs).sort())) return input
  return { ...(input as object), variables: Object.values(own).map(String).sort() }
}

const variablesOf = (input: unknown): object | undefined => {
  const { variables } = (input ?? {}) as { readonly variables?: unknown }
  return typeof variables === 'object' && variables !== null ? variables : undefined
}

/** Where an operation was carried out. */
type Origin = Pick<OperationIntent, 'profile' | 'baseUrl'>

/** Returns whether an entry belongs to a platform, given as `Connection.platform` or as the origin of another entry. */
export const isOnPlatform = (entry: Origin, platform: string | Origin): boolean =>
  platformOf(entry) === (typeof platform === 'string' ? addressKey(platform) : platformOf(platform))

/** Earlier versions recorded the address of the server for the local platform. */
const platformOf = ({ profile, baseUrl }: Origin): string =>
  profile === 'local' && isLoopback(baseUrl) ? localPlatform : addressKey(baseUrl)

const isEqual = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b)

/** Returns whether the process that sends the operation of an entry is still waiting for its outcome. */
export const isInProgress = ({ state, sender }: JournalEntry, owner: ProcessOwner): boolean =>
  state === 'open' && sender !== undefined && isRunning(sender, owner) === true

/** What a process does that carries out a billable operation. */
const activities: Readonly<Record<string, string>> = {
  'calls.start': 'starting this call',
  'campaigns.updateStatus': 'changing the status of this campaign',
  'contacts.sendWaiting': 'starting this send or call',
  'conversations.send': 'sending this message',
  'messaging.send': 'sending this message',
  'messaging.sendFreeform': 'sending this message',
  'numbers.buy': 'buying this number',
  'replies.generate': 'generating this reply',
  'sms.send': 'sending this SMS',
}

/**
 * Returns the failure of an operation that an open entry stops: exit `conflict` while the process of the entry is
 * running, else `unknown`. `now` is in milliseconds.
 */
export function openOperationFailure(entry: JournalEntry, now: number, owner: ProcessOwner | undefined): ClientFailure {
  const { id, endpoint, at } = entry
  const short = id.slice(0, 8)
  if (owner && isInProgress(entry, owner))
    return new ClientFailure({
      exit: 'conflict',
      code: 'operation_in_progress',
      message: `Another process is ${activities[endpoint] ?? `running the same ${endpoint}`} (started ${formatDuration(Math.max(0, Math.round((now - Date.parse(at)) / 1000)))} ago). Nothing was sent.`,
      hint: `Wait for it, then see its outcome: parley ops get ${short}.`,
      sent: false,
      next: [`parley ops get ${short}`],
    })
  return new ClientFailure({
    exit: 'unknown',
    code: 'open_operation',
    message: `The outcome of an earlier ${endpoint} with the same content is unknown (entry ${short}, ${at.slice(0, 16).replace('T', ' ')} UTC). Nothing was sent.`,
    hint: `Find out what happened first: parley ops reconcile. To continue anyway: --ignore-open ${short}.`,
    sent: false,
    next: [...reconcileCommands, `parley ops get ${short}`],
  })
}

/**
 * A billable operation that is about to be sent. Journal lines have these fields, which other versions read: they are added,
 * not renamed.
 */
export interface OperationIntent {
  /** Name of the endpoint: `numbers.buy`. */
  readonly endpoint: string
  readonly input: unknown
  readonly idempotencyKey: string
  readonly profile: string
  readonly baseUrl: string
  /** The prefix of the API key (`keyPrefix`). Another key may belong to another account. */
  readonly keyMark?: string
  /** The criteria by which the CLI chose the number; null if the user named it. Absent in entries of version 0.1. */
  readonly selection?: Selection | null
  /** Price in USD, if it is known before the operation. */
  readonly priceUsd?: number
  /** Highest price in USD, if only that is known. It counts against the budget of the profile. */
  readonly maxPriceUsd?: number
  /** Price of a started minute in USD, of a call, whose length is not known before. */
  readonly minutePriceUsd?: number
}

/** Returns whether an operation of the journal can cost money. Changes of automations cannot. */
export const movesMoney = ({ endpoint }: Pick<OperationIntent, 'endpoint'>): boolean =>
  !endpoint.startsWith('automate.')

/**
 * Compares an intent with a budget. `now` is in milliseconds since 1970. @throws ClientFailure `payment` if the budget does not
 * cover it
 */
export type BudgetCheck = (intent: OperationIntent, now: number) => void

/**
 * The outcome of a billable operation. `cancelled` means that it was stopped before it was sent. Journal lines have these
 * words, and `ops` prints them: they are not renamed.
 */
export type OperationOutcome = 'done' | 'refused' | 'cancelled' | 'unknown'

/** An entry of the journal. */
export interface JournalEntry extends OperationIntent {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  /** `open` until an outcome is recorded: the process was interrupted, or is still running. */
  readonly state: OperationOutcome | 'open'
  readonly settledAt?: string
  readonly detail?: unknown
  /** The process that sends it. Absent in entries of earlier versions. */
  readonly sender?: ProcessIdentity
}

/** The local record of billable operations and their outcome. */
export interface Journal {
  readonly file: string
  /**
   * Records an intent. It is on disk when this returns. `findEarlier` returns an earlier entry that stops this operation, and
   * `requireBudget` compares it with a budget; no other process writes in between.
   * @throws ClientFailure `conflict` when its process is still running, else `unknown`; `payment` when the budget does not cover
   * it; `usage` when the journal cannot be written. Nothing may be sent then
   */
  recordIntent(
    intent: OperationIntent,
    findEarlier?: () => JournalEntry | undefined,
    requireBudget?: BudgetCheck,
  ): string
  /** Records the outcome of an operation. The latest outcome counts. */
  recordOutcome(id: string, outcome: OperationOutcome, detail?: unknown): void
  /**
   * Returns entries, oldest first. With `open`, only those without a known outcome; with `keys`, only those with one of
   * these idempotency keys.
   */
  list(filter?: JournalFilter): JournalEntry[]
  /** Reads all lines in order, without loading the whole file. */
  lines(): Iterable<string>
}

/** Filters for journal entries. */
export interface JournalFilter {
  readonly open?: boolean
  readonly keys?: ReadonlySet<string>
  /** Only entries whose line contains all of these texts. */
  readonly texts?: readonly string[]
}
