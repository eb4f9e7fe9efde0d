import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crypto } from '../../../node/crypto.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import type { System } from '../../../system.ts'
import { dataDir } from '../../configuration/app-folders.ts'
import { lockWork } from '../../errors/lock-work.ts'

/** What was delivered of a remote deployment. It survives the end of the process at any moment. */
export interface ListenState {
  readonly file: string
  /** Secret that signs the events of this profile. */
  readonly secret: string
  /** Time of the latest event that was delivered, or when listening started first; milliseconds since 1970. */
  readonly lastAt: number
  /** False before the first poll: what happened earlier is not delivered. */
  readonly isResumed: boolean
  has(key: string): boolean
  /** Saves the keys of events that happened before, at the first poll. */
  start(keys: readonly string[]): void
  /** Saves an event as delivered, before it returns. */
  add(key: string, at: number): void
  close(): void
}

/** Keys of events are dropped this long after the event: lists are read for three days before the latest event. */
const retentionMs = 7 * 24 * 60 * 60 * 1000

interface Header {
  readonly base_url: string
  readonly started_at: number
  readonly secret: string
}

/**
 * Opens the state file of a profile. `platformNow` is the time of the platform in milliseconds since 1970, from which its
 * events count at the first time. @throws ClientFailure `conflict` if another process listens with it
 */
export function openListenState(
  system: System,
  { profile, baseUrl, platformNow }: { profile: string; baseUrl: string; platformNow: number },
): ListenState {
  const folder = join(dataDir(system), 'events')
  const place = crypto().createHash('sha256').update(baseUrl).digest('hex').slice(0, 8)
  const file = join(folder, `${profile.replace(/[^\w.-]/g, '_')}-${place}.ndjson`)
  const { release } = lockWork(
    `${file}.lock`,
    system,
    (it) => `${it} already listens to the events of "${profile}". Each event is delivered once.`,
    'listening',
  )
  const saved = readState(file)
  const header: Header = saved?.header ?? {
    base_url: baseUrl,
    started_at: platformNow,
    secret: `whsec_${crypto().randomBytes(32).toString('base64')}`,
  }
  const events = saved?.events ?? new Map<string, number>()
  let lastAt = Math.max(header.started_at, ...events.values())
  for (const [key, at] of events) if (at < lastAt - retentionMs) events.delete(key)
  const save = (): void =>
    replaceFile(
      file,
      [header, ...[...events].map(([key, at]) => ({ key, at }))].map((it) => `${stringifyJson(it)}\n`).join(''),
    )
  // Also ends a line that a killed process left unfinished.
  if (saved) save()
  let isResumed = saved !== undefined
  return {
    file,
    secret: header.secret,
    get lastAt() {
      return lastAt
    },
    get isResumed() {
      return isResumed
    },
    has: (key) => events.has(key),
    start(keys) {
      for (const key of keys) events.set(key, header.started_at)
      save()
      isResumed = true
    },
    add(key, at) {
      events.set(key, at)
      lastAt = Math.max(lastAt, at)
      appendFileSync(file, `${stringifyJson({ key, at })}\n`, { mode: 0o600, flush: true })
    },
    close: release,
  }
}

function readState(file: string): { readonly header: Header; readonly events: Map<string, number> } | undefined {
  if (!existsSync(file)) return undefined
  chmodSync(file, 0o600)
  const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n')
  const events = new Map<string, number>()
  for (const line of rest) {
    const entry = parsed<{ readonly key: string; readonly at: number }>(line)
    if (entry) events.set(entry.key, entry.at)
  }
  const header = parsed<Header>(first)
  return header && { header, events }
}

/** Parses a line; undefined for one that was not written completely. */
function parsed<T>(line: string): T | undefined {
  try {
    return line === '' ? undefined : (parseJson(line) as T)
  } catch {
    return undefined
  }
}
