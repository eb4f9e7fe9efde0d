import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { type JournalEntry, movesMoney } from '../../../client/journal/open-operations.ts'
import { waitingIdOf } from '../../../client/journal/outcome-detail.ts'
import { usd } from '../../../contract/values/money.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import type { View } from '../output/format.ts'
import { promptChoices } from '../prompts/choices.ts'
import { recordArgument } from '../prompts/equivalent-command.ts'

/** A journal entry with the field names of the output. Scripts read it as JSON: fields and words are added, not renamed. */
export interface ShownEntry {
  readonly id: string
  readonly at: string
  readonly endpoint: string
  /** The number, the campaign, the conversation, the automation or what waits; empty if the operation has none. */
  readonly target: string
  readonly input: unknown
  readonly profile: string
  readonly base_url: string
  readonly idempotency_key: string
  readonly state: JournalEntry['state'] | 'replayed' | 'waiting'
  readonly settled_at: string | null
  readonly detail: unknown
  /** What it cost, or its price if it was known before; null if unknown, and while it waits for the contact hours. */
  readonly amount_usd: number | null
  /** Price of a started minute of a call; its length, and so its amount, is not known to the journal. */
  readonly minute_price_usd: number | null
}

/** Converts a journal entry to its printed form. */
export const toShownEntry = (entry: JournalEntry): ShownEntry => ({
  id: entry.id,
  at: entry.at,
  endpoint: entry.endpoint,
  target: targetOf(entry.input),
  input: entry.input,
  profile: entry.profile,
  base_url: entry.baseUrl,
  idempotency_key: entry.idempotencyKey,
  state: stateOf(entry),
  settled_at: entry.settledAt ?? null,
  detail: entry.detail ?? null,
  amount_usd: amountOf(entry),
  minute_price_usd: entry.minutePriceUsd ?? null,
})

/**
 * Returns the cost that the platform reported, else the price that was known before. Refused operations cost nothing.
 * Updates of automations have no amount, because they move no money.
 */
const amountOf = ({ endpoint, state, detail, priceUsd }: JournalEntry): number | null => {
  if (!movesMoney({ endpoint })) return null
  if (state === 'refused' || state === 'cancelled') return 0
  if (waitingIdOf({ state, detail }) !== undefined) return null
  const { costUsd } = (detail ?? {}) as { readonly costUsd?: unknown }
  return typeof costUsd === 'number' ? costUsd : (priceUsd ?? null)
}

/**
 * Returns the state of an entry. A done operation is `replayed` if the platform had done it before under the same key, and
 * `waiting` if the platform took it to send it when the contact hours open; the journal does not learn when it does.
 * Version 0.1 recorded operations that the user canceled before they were sent as
 * refused.
 */
const stateOf = ({ state, detail }: JournalEntry): ShownEntry['state'] =>
  waitingIdOf({ state, detail }) !== undefined
    ? 'waiting'
    : state === 'done' && (detail as { replayed?: unknown } | null | undefined)?.replayed === true
      ? 'replayed'
      : state === 'refused' && (detail as { code?: unknown } | null | undefined)?.code === 'interrupted'
        ? 'cancelled'
        : state

/** Returns whether the outcome of an entry is unknown. */
export const isUnresolved = ({ state }: Pick<ShownEntry, 'state'>): boolean => state === 'open' || state === 'unknown'

/** Fields that name the target of an operation, the first that is given: those that identify it (`subjectFields` of client/journal/open-operations.ts), and its name. */
const fields = ['name', 'phone_number', 'recipient_phone', 'to', 'customer_identifier', 'uuid'] as const

/** Returns the target of an operation: the number, the campaign or, in chats, the conversation. */
const targetOf = (input: unknown): string => {
  const given = (input ?? {}) as Partial<Record<(typeof fields)[number] | 'campaign_id' | 'waiting_id', string>>
  if (given.campaign_id !== undefined) return `campaign ${given.campaign_id}`
  if (given.waiting_id !== undefined) return `waiting ${given.waiting_id}`
  return given[fields.find((it) => given[it] !== undefined) ?? 'uuid'] ?? ''
}

/** Returns the amount, or the price of a minute of a call. */
const amountShown = ({ amount_usd: amount, minute_price_usd: minute }: ShownEntry): number | string | null =>
  amount ?? (minute === null ? null : `${usd(minute)} per minute`)

export const view: View<ShownEntry> = {
  id: (it) => it.id,
  hasLongIds: true,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'at', title: 'When', priority: 2, kind: 'computer_time' },
    { key: 'endpoint', title: 'Operation', priority: 3 },
    { key: 'target', title: 'Target', priority: 1 },
    { key: amountShown, field: 'amount_usd', title: 'Amount', priority: 2, kind: 'money' },
    { key: 'profile', title: 'Profile', priority: 5 },
    { key: 'state', title: 'State', priority: 2, kind: 'status' },
  ],
  empty: 'No billable operations.',
}

const listHint = 'List them: parley ops list.'

export const entryArgument = {
  name: 'id',
  describe: 'Id of the entry, or its unique beginning',
} as const

/** Returns the journal entry for an id, or prompts for one. @throws ClientFailure `usage`, `not_found` */
export async function resolveEntry(
  context: Context,
  argument: string | undefined,
  isOffered: (entry: ShownEntry) => boolean = () => true,
): Promise<ShownEntry> {
  const entries = (await context.journal()).list().map(toShownEntry)
  const id = argument ?? (await pickEntry(context, entries.filter(isOffered)))
  const found = entries.filter((it) => it.id.startsWith(id.replace(/(?:…|\.{3})$/, '')))
  if (found.length > 1 && id !== '')
    throw usageError(
      `Several entries begin with "${id}": ${found.map((it) => it.id).join(', ')}.`,
      'Pass more of the id.',
    )
  const [entry] = found
  if (!entry || id === '')
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `Journal entry "${id}" not found.`,
      hint: listHint,
    })
  return entry
}

async function pickEntry(context: Context, entries: readonly ShownEntry[]): Promise<string> {
  if (!context.interactive) throw usageError('Missing entry. Pass its id.', listHint)
  if (entries.length === 0)
    throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: 'No entries to choose from.' })
  const prompts = await context.prompts()
  const label = (it: ShownEntry): string => `${it.at}  ${it.endpoint}  ${it.state}  ${it.id}`
  const { id } = await prompts.select('Which entry?', promptChoices(entries.toReversed(), label), { searchable: true })
  recordArgument(context, id)
  return id
}
