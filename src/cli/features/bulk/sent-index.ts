import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { usageFailure } from '../../../client/failures/client-failure.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import type { ContentHash, RowKey } from './content-hash.ts'

/**
 * Index of which recipient was sent which content, for one target of one account and across files. Uses about 28 bytes
 * of memory per entry.
 */
export interface SentIndex {
  /** Returns when a recipient last received a content (milliseconds since 1970), undefined if unknown. */
  at(phone: string, content: ContentHash): number | undefined
  /** Records that a recipient received a content. It is written with the next flush. */
  add(key: RowKey, at: number): void
  /** Time up to which the operations journal was imported (milliseconds since 1970); 0 if never. */
  readonly syncedTo: number
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
