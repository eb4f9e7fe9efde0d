import { createHash } from 'node:crypto'
import { followJournal } from '../../../client/journal/follow-journal.ts'
import type { JournalEntry } from '../../../client/journal/open-operations.ts'
import { isOnPlatform } from '../../../client/journal/open-operations.ts'
import { scanJournal } from '../../../client/journal/scan-journal.ts'
import { keyPrefix } from '../../../client/requests/authenticator.ts'
import { parseDuration } from '../../../contract/values/duration.ts'
import { stringifyJson } from '../../../node/json.ts'
import { parseJsonLine } from '../../../node/ndjson.ts'
import { isSameAccount } from '../../program/connection/account-cache.ts'
import { resolveAccountId } from '../../program/connection/account-id.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { ContentHash } from './content-hash.ts'
import { progressFile } from './progress-files.ts'
import type { RowOperation } from './row-operation.ts'
import { openSentIndex, type SentIndex } from './sent-index.ts'

/** Operations that other processes start while this one sends rows. */
interface ConcurrentOperations {
  /**
   * Returns the operation of another process with a subject, unless it is known not to have been carried out. The caller
   * writes its own operation with the key right after that.
   */
  find(subject: string, ownKey: string): JournalEntry | undefined
  /** Returns the current state of an operation that `find` returned. */
  stateOf(id: string): JournalEntry['state']
}

/**
 * Follows the journal from now on. `subjectOf` returns the recipient and content of an entry, undefined if it belongs to
 * another platform, account or target.
 */
function followOperations(
  file: string,
  since: string,
  subjectOf: (entry: JournalEntry) => string | undefined,
): ConcurrentOperations {
  const follower = followJournal(file, since)
  const entries = new Map<string, JournalEntry>()
  const bySubject = new Map<string, Set<string>>()
  let ownKey: string | undefined

  function addIntent(id: string, line: Readonly<Record<string, unknown>>): void {
    // Nothing was written between the last call and the line of this process.
    const isOwn = ownKey !== undefined && line.idempotencyKey === ownKey
    if (isOwn) ownKey = undefined
    const entry = { ...line, id, state: 'open' } as unknown as JournalEntry
    const subject = isOwn ? undefined : subjectOf(entry)
    if (subject === undefined) return
    entries.set(id, entry)
    bySubject.set(subject, (bySubject.get(subject) ?? new Set()).add(id))
  }

  function update(): void {
    for (const line of follower.newLines()) {
      const it = parseJsonLine(line)
      if (typeof it?.intent === 'string') addIntent(it.intent, it)
      const entry = typeof it?.outcome === 'string' ? entries.get(it.outcome) : undefined
      if (entry) entries.set(entry.id, { ...entry, state: it?.state as JournalEntry['state'] })
    }
  }

  const mayBeSent = ({ state }: JournalEntry): boolean => state === 'open' || state === 'unknown' || state === 'done'
  return {
    find(subject, key) {
      update()
      const found = [...(bySubject.get(subject) ?? [])].map((id) => entries.get(id) as JournalEntry).find(mayBeSent)
      ownKey = found ? undefined : key
      return found
    },
    stateOf(id) {
      update()
      return entries.get(id)?.state ?? 'open'
    },
  }
}

/** Earlier messages to recipients: who received which content, and operations whose outcome is unknown. */
export interface RecipientHistory {
  readonly sentIndex: SentIndex
  /**
   * Returns an operation with this content whose outcome is unknown, of any other file or command. `ownKeyPrefix` is the
   * key prefix of the current file, whose operations are ignored.
   */
  findOpen(phone: string, content: ContentHash, ownKeyPrefix: string): JournalEntry | undefined
  /** Billable operations with a recipient and content (`recipientKey`) that other processes start during the run. */
  readonly concurrent: ConcurrentOperations | undefined
}

const weekMs = 604_800_000

/** Parses `--within` to milliseconds (default: 7 days). @throws ClientFailure `usage` */
export function parseWithin(text: unknown): number {
  if (text === undefined) return weekMs
  const spanMs = parseDuration(String(text))
  if (spanMs === undefined) throw usageError(`Invalid --within "${text}". Use a duration such as 12h, 7d or 2w.`)
  return spanMs
}

/**
 * Opens the history for one target of the current account. For billable operations it first imports the operations
 * journal.
 */
export async function openRecipientHistory(
  context: Context,
  operation: RowOperation,
  folder: string,
  within: number,
): Promise<RecipientHistory> {
  const { baseUrl } = await context.settings()
  const account = await resolveAccountId(context)
  const name = createHash('sha256')
    .update(stringifyJson([operation.endpoint.name, operation.target, baseUrl.value, account ?? '']))
    .digest('hex')
    .slice(0, 32)
  const reached = openSentIndex(progressFile(folder, baseUrl.value, `${name}.reached`))
  const isBillable = operation.endpoint.risk === 'spends'
  const isMine = isBillable ? await ownership(context) : undefined
  // From before the import, so that no operation is missed in between.
  const concurrent =
    isMine &&
    followOperations((await context.journal()).file, new Date(context.system.now()).toISOString(), (it) => {
      const found = it.endpoint === operation.endpoint.name && isMine(it) ? operation.rowOf?.(it.input) : undefined
      return found && recipientKey(found.phone, found.content)
    })
  const open = isMine ? await importJournal(context, operation, reached, within, isMine) : []
  const openBy = new Map<string, JournalEntry[]>()
  for (const it of open) {
    const found = operation.rowOf?.(it.input)
    if (!found) continue
    const key = recipientKey(found.phone, found.content)
    openBy.set(key, [...(openBy.get(key) ?? []), it])
  }
  return {
    sentIndex: reached,
    concurrent,
    findOpen: (phone, content, ownKeyPrefix) =>
      openBy.size > 0
        ? openBy.get(recipientKey(phone, content))?.find((it) => !it.idempotencyKey.startsWith(ownKeyPrefix))
        : undefined,
  }
}

/** Identifies a recipient and a content. */
export const recipientKey = (phone: string, { high, low }: ContentHash): string => `${phone} ${high} ${low}`

/** Returns a check whether a journal entry belongs to the current platform and account. */
async function ownership(context: Context): Promise<(entry: JournalEntry) => boolean> {
  const [{ baseUrl }, connected] = [await context.settings(), await context.connection()]
  const key = await connected.key()
  const mark = key === undefined ? undefined : keyPrefix(key)
  return (it) =>
    isOnPlatform(it, connected.platform) &&
    (it.keyMark === undefined || mark === undefined || isSameAccount(context.system, baseUrl.value, it.keyMark, mark))
}

/**
 * Imports operations that were completed since the last import into the index. Returns the entries without an outcome.
 */
async function importJournal(
  context: Context,
  operation: RowOperation,
  sentIndex: SentIndex,
  within: number,
  isMine: (entry: JournalEntry) => boolean,
): Promise<readonly JournalEntry[]> {
  const { system } = context
  const journal = await context.journal()
  const now = system.now()
  // Another process may write its line a little later than the time in it.
  const since = new Date(Math.max(sentIndex.syncedTo - 60_000, now - Math.max(within, 4 * weekMs), 0)).toISOString()
  const open = scanJournal(journal.lines(), {
    endpoint: operation.endpoint.name,
    since,
    done(entry) {
      const found = isMine(entry) ? operation.rowOf?.(entry.input) : undefined
      if (found && sentIndex.at(found.phone, found.content) === undefined)
        sentIndex.add({ phone: found.phone, ...found.content }, Date.parse(entry.at))
    },
  })
  if (now - sentIndex.syncedTo > 60_000) sentIndex.markSynced(now)
  return open.filter(isMine)
}
