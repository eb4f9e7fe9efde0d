// Finds recipients that were sent the same content before, from any file. The index file has records of a fixed size, which
// earlier versions wrote: neither their size nor the order of their fields changes.

import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { usageFailure } from '../../../client/failures/client-failure.ts'
import { followJournal } from '../../../client/journal/follow-journal.ts'
import type { JournalEntry } from '../../../client/journal/open-operations.ts'
import { scanJournal } from '../../../client/journal/scan-journal.ts'
import { parseDuration } from '../../../contract/values/duration.ts'
import { stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { parseJsonLine } from '../../../node/ndjson.ts'
import { progressEnds } from '../../program/configuration/purge-bulk-progress.ts'
import { resolveAccountId } from '../../program/connection/account-id.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { readOwnership } from '../../program/operations/own-entries.ts'
import type { ContentHash, RowKey } from './content-hash.ts'
import { progressPath } from './progress-file.ts'
import type { RowOperation } from './row-operation.ts'

/**
 * Index of which recipient was sent which content, for one target of one account and across files. Uses about 28 bytes
 * of memory per entry.
 */
interface SentIndex {
  /** Returns when a recipient last received a content (milliseconds since 1970), undefined if unknown. */
  at(phone: string, content: ContentHash): number | undefined
  /** Records that a recipient received a content. It is written with the next flush. */
  add(key: RowKey, at: number): void
  /** Time up to which the operations journal was imported (milliseconds since 1970); 0 if never. */
  readonly syncedTo: number
  /** Stores until when the journal was imported. The next import skips what is older: a time too late hides earlier sends. */
  markSynced(to: number): void
  flush(): void
  close(): void
}

/** Size of a record in bytes: number, content, time in seconds, and kind. */
const size = 24
const kinds = { reached: 1, synced: 2 } as const

/** Opens the index file. A missing file or a truncated last record is accepted. */
export function openSentIndex(file: string): SentIndex {
  let phones = new Float64Array(1024)
  let highs = new Uint32Array(1024)
  let lows = new Uint32Array(1024)
  let times = new Uint32Array(1024)
  /** Entries by hash, counted from 1; 0 is empty. */
  let table = new Uint32Array(4096)
  let count = 0
  let syncedTo = 0
  let isTruncated = false
  let pending: Buffer[] = []
  let descriptor: number | undefined

  const find = (phone: number, { high, low }: ContentHash): number => {
    const mask = table.length - 1
    for (let at = ((low ^ Math.imul(phone >>> 0, 0x9e3779b1)) >>> 0) & mask; ; at = (at + 1) & mask) {
      const held = (table[at] as number) - 1
      if (held < 0) return -1 - at
      if (phones[held] === phone && highs[held] === high && lows[held] === low) return held
    }
  }

  function put(phone: number, content: ContentHash, seconds: number): void {
    const found = find(phone, content)
    if (found >= 0) {
      if ((times[found] as number) < seconds) times[found] = seconds
      return
    }
    if (count === phones.length) grow()
    phones[count] = phone
    highs[count] = content.high
    lows[count] = content.low
    times[count] = seconds
    table[-1 - found] = ++count
    if (count * 2 > table.length) spread()
  }

  function grow(): void {
    const longer = <T extends Float64Array | Uint32Array>(old: T, fresh: T): T => {
      fresh.set(old)
      return fresh
    }
    const length = phones.length * 2
    phones = longer(phones, new Float64Array(length))
    highs = longer(highs, new Uint32Array(length))
    lows = longer(lows, new Uint32Array(length))
    times = longer(times, new Uint32Array(length))
  }

  function spread(): void {
    table = new Uint32Array(table.length * 2)
    for (let n = 0; n < count; n++)
      table[-1 - find(phones[n] as number, { high: highs[n] as number, low: lows[n] as number })] = n + 1
  }

  for (const piece of readRecords(file)) {
    const whole = piece.length - (piece.length % size)
    isTruncated = whole !== piece.length
    for (let at = 0; at < whole; at += size) {
      const kind = piece[at + 20]
      const seconds = piece.readUInt32LE(at + 16)
      if (kind === kinds.reached)
        put(piece.readDoubleLE(at), { high: piece.readUInt32LE(at + 8), low: piece.readUInt32LE(at + 12) }, seconds)
      else if (kind === kinds.synced) syncedTo = Math.max(syncedTo, seconds * 1000)
    }
  }

  function record(kind: number, phone: number, { high, low }: ContentHash, seconds: number): void {
    const bytes = Buffer.alloc(size)
    bytes.writeDoubleLE(phone, 0)
    bytes.writeUInt32LE(high, 8)
    bytes.writeUInt32LE(low, 12)
    bytes.writeUInt32LE(seconds, 16)
    bytes[20] = kind
    pending.push(bytes)
  }

  function flush(): void {
    if (pending.length === 0) return
    try {
      if (descriptor === undefined) {
        makeFolder(dirname(file))
        descriptor = openSync(file, 'a', 0o600)
        // Pads a truncated record, so that the next one starts on a record boundary.
        const rest = isTruncated ? fstatSync(descriptor).size % size : 0
        if (rest > 0) writeSync(descriptor, Buffer.alloc(size - rest))
      }
      writeSync(descriptor, Buffer.concat(pending))
      pending = []
    } catch (error) {
      throw usageFailure(
        'progress_unwritable',
        `The progress of rows cannot be written: ${file} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`,
      )
    }
  }

  return {
    at(phone, content) {
      const found = count === 0 ? -1 : find(Number(phone.slice(1)), content)
      return found < 0 ? undefined : (times[found] as number) * 1000
    },
    add({ phone, ...content }, at) {
      const seconds = Math.floor(at / 1000)
      put(Number(phone.slice(1)), content, seconds)
      record(kinds.reached, Number(phone.slice(1)), content, seconds)
    },
    get syncedTo() {
      return syncedTo
    },
    markSynced(to) {
      syncedTo = to
      record(kinds.synced, 0, { high: 0, low: 0 }, Math.floor(to / 1000))
    },
    flush,
    close() {
      try {
        flush()
      } finally {
        if (descriptor !== undefined) closeSync(descriptor)
        descriptor = undefined
      }
    },
  }
}

/** Yields the file in chunks of whole records, except for a truncated record at the end. */
function* readRecords(file: string): Generator<Buffer> {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw usageFailure(
      'progress_unreadable',
      `The progress of rows cannot be read: ${file} (${(error as NodeJS.ErrnoException).code}). Nothing was sent.`,
    )
  }
  try {
    const bytes = Buffer.alloc(size * 8192)
    for (let at = 0, read = 0; (read = readSync(descriptor, bytes, 0, bytes.length, at)) > 0; at += read)
      yield bytes.subarray(0, read)
  } finally {
    closeSync(descriptor)
  }
}

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
    const entry = { ...line, id, state: 'open' } as JournalEntry
    const subject = isOwn ? undefined : subjectOf(entry)
    if (subject === undefined) return
    entries.set(id, entry)
    bySubject.set(subject, (bySubject.get(subject) ?? new Set()).add(id))
  }

  function update(): void {
    for (const line of follower.newLines()) {
      const parsed = parseJsonLine(line)
      if (typeof parsed?.intent === 'string') addIntent(parsed.intent, parsed)
      const entry = typeof parsed?.outcome === 'string' ? entries.get(parsed.outcome) : undefined
      if (entry) entries.set(entry.id, { ...entry, state: parsed?.state as JournalEntry['state'] })
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
export interface EarlierSends {
  readonly sentIndex: SentIndex
  /**
   * Returns an operation with this content whose outcome is unknown, of any other file or command. `ownKeyPrefix` is the
   * key prefix of the current file, whose operations are ignored.
   */
  findOpen(phone: string, content: ContentHash, ownKeyPrefix: string): JournalEntry | undefined
  /** Billable operations with a recipient and content (`recipientKey`) that other processes start during the run. */
  readonly concurrent: ConcurrentOperations | undefined
}

/** Default of `--within`. The flag and the notes of the commands name it as 7 days. */
const weekMs = 604_800_000

/** Parses `--within` to milliseconds (default: 7 days). @throws ClientFailure `usage` */
export function parseWithin(text: unknown): number {
  if (text === undefined) return weekMs
  const spanMs = parseDuration(String(text))
  if (spanMs === undefined) throw usageError(`Invalid --within "${text}". Use a duration such as 12h, 7d or 2w.`)
  return spanMs
}

/**
 * Opens the earlier sends to one target of the current account. For billable operations it first imports the operations
 * journal.
 */
export async function openEarlierSends(
  context: Context,
  operation: RowOperation,
  folder: string,
  within: number,
): Promise<EarlierSends> {
  const { baseUrl } = await context.settings()
  const account = await resolveAccountId(context)
  // Earlier sends are found by this name: it never changes.
  const name = createHash('sha256')
    .update(stringifyJson([operation.endpoint.name, operation.target, baseUrl.value, account ?? '']))
    .digest('hex')
    .slice(0, 32)
  const reached = openSentIndex(progressPath(folder, baseUrl.value, `${name}${progressEnds.sent}`))
  const isBillable = operation.endpoint.risk === 'spends'
  const isMine = isBillable ? await readOwnership(context) : undefined
  // From before the import, so that no operation is missed in between.
  const concurrent =
    isMine &&
    followOperations((await context.journal()).file, new Date(context.system.now()).toISOString(), (entry) => {
      const found =
        entry.endpoint === operation.endpoint.name && isMine(entry) ? operation.rowOf?.(entry.input) : undefined
      return found && recipientKey(found.phone, found.content)
    })
  const open = isMine ? await importJournal(context, operation, reached, within, isMine) : []
  const openBy = new Map<string, JournalEntry[]>()
  for (const entry of open) {
    const found = operation.rowOf?.(entry.input)
    if (!found) continue
    const key = recipientKey(found.phone, found.content)
    openBy.set(key, [...(openBy.get(key) ?? []), entry])
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

/** Identifies a recipient and a content. Compared in memory only: free to change. */
export const recipientKey = (phone: string, { high, low }: ContentHash): string => `${phone} ${high} ${low}`

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
