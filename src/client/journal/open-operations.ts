import { ClientFailure, reconcileCommands } from '../failures/client-failure.ts'
import { redactValue } from '../requests/redact.ts'
import type { JournalEntry, OperationIntent } from './journal.ts'

/** What a number was picked by, where the CLI picked it: two picks by the same choice are the same purchase, whatever number they found. */
export type Selection = Readonly<Record<string, string>>

/** What the user says of operations that spend. */
export interface BillableOptions {
  /** Key they go out under, unless a call has its own; a new one for each unless given. */
  readonly idempotencyKey?: string | undefined
  /** The beginning of the id of an open entry of the journal that does not stop the same operation. */
  readonly ignoreOpen?: string | undefined
  /** Whether two keys are known to be of one account, by their marks. */
  readonly sameAccount?: (a: string, b: string) => boolean
}

/** Whether an open entry of the journal stops an operation. Under the key it went out with, a platform that honours keys does nothing twice. */
export function isBlocking(
  entry: JournalEntry,
  intent: OperationIntent,
  { ignoreOpen, sameAccount }: BillableOptions = {},
  isIdempotent: boolean,
): boolean {
  if (isIdempotent && entry.idempotencyKey === intent.idempotencyKey) return false
  if (ignoreOpen !== undefined && entry.id.startsWith(ignoreOpen)) return false
  return isSameOperation(entry, intent, sameAccount)
}

/** Fields that name what an operation is about; an entry of the same operation holds the same value. */
const subjectFields = ['phone_number', 'recipient_phone', 'to', 'uuid', 'campaign_id', 'customer_identifier'] as const

/** Texts that every line of the journal holds that begins the same operation: the others need not be read. */
export function searchTexts({
  endpoint,
  input,
  selection,
}: Pick<OperationIntent, 'endpoint' | 'input' | 'selection'>): readonly string[] {
  const about = [`"endpoint":${JSON.stringify(endpoint)}`]
  const redacted = (redactValue(input) ?? {}) as Readonly<Record<string, unknown>>
  const field = selection ? undefined : subjectFields.find((it) => redacted[it] !== undefined)
  return field === undefined ? about : [...about, `${JSON.stringify(field)}:${JSON.stringify(redacted[field])}`]
}

/**
 * Whether an entry of the journal is the operation that is about to leave: the same endpoint, platform and account, and the same content or, of a number
 * the CLI picks, the same choice. `sameAccount` tells of two keys whether they are known to be of one account.
 */
export function isSameOperation(
  entry: JournalEntry,
  intent: OperationIntent,
  sameAccount: (a: string, b: string) => boolean = () => false,
): boolean {
  if (entry.endpoint !== intent.endpoint || !isSamePlatform(entry.baseUrl, intent.baseUrl)) return false
  const [a, b] = [entry.keyMark, intent.keyMark]
  if (a !== undefined && b !== undefined && a !== b && !sameAccount(a, b)) return false
  // An entry of version 0.1 does not tell how its number was chosen.
  if (intent.selection && (entry.selection === undefined || isEqual(entry.selection, intent.selection))) return true
  return isEqual(
    comparableContent(entry.input, intent.input),
    comparableContent(redactValue(intent.input), entry.input),
  )
}

/** Content to compare. Variables that the other calls by other names, such as their numbers, are compared by their values alone. */
function comparableContent(input: unknown, other: unknown): unknown {
  const [own, theirs] = [variablesOf(input), variablesOf(other)]
  if (!own || !theirs || isEqual(Object.keys(own).sort(), Object.keys(theirs).sort())) return input
  return { ...(input as object), variables: Object.values(own).map(String).sort() }
}

const variablesOf = (input: unknown): object | undefined => {
  const { variables } = (input ?? {}) as { readonly variables?: unknown }
  return typeof variables === 'object' && variables !== null ? variables : undefined
}

/** The local platform is the same whether it is reached in process or through its server. */
export const isSamePlatform = (a: string, b: string): boolean => a === b || (isLocal(a) && isLocal(b))
const isLocal = (base: string): boolean => /^(embedded:|http:\/\/(127\.|localhost|\[::1\]))/.test(base)

const isEqual = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b)

/** JSON with the fields of every object in one order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, it: unknown) =>
    typeof it === 'object' && it !== null && !Array.isArray(it)
      ? Object.fromEntries(Object.entries(it).sort(([a], [b]) => (a < b ? -1 : 1)))
      : it,
  )
}

/** The refusal of an operation while an entry of the same one is open: exit `unknown`. */
export function openOperationFailure({ id, endpoint, at }: JournalEntry): ClientFailure {
  const short = id.slice(0, 8)
  return new ClientFailure({
    exit: 'unknown',
    code: 'open_operation',
    message: `The outcome of an earlier ${endpoint} of the same content is unknown (entry ${short}, ${at.slice(0, 16).replace('T', ' ')} UTC). Nothing was sent.`,
    hint: `Find out what happened first: parley ops reconcile. To continue anyway: --ignore-open ${short}.`,
    sent: false,
    next: [...reconcileCommands, `parley ops get ${short}`],
  })
}
