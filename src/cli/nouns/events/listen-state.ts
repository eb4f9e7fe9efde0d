// What `events listen` has delivered of a remote deployment, in a file for each profile. A line is on disk before the next event
// is delivered, so that at most the last one is delivered again after a crash.

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crypto } from '../../../node/crypto.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { restrictToOwner } from '../../../node/operating-system.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { lockWork } from '../../program/errors/lock-work.ts'
import type { System } from '../../program/system.ts'

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
  /** Saves the secret alone. */
  saveSecret(): void
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
  /** False when only the secret was saved, for a replay: nothing was listened to yet. */
  readonly is_started?: false
}

/** Returns the file of a profile. Its secret and what was delivered are found by its name: it never changes. */
const stateFile = (system: System, { profile, baseUrl }: ListenTarget): string => {
  const place = crypto().createHash('sha256').update(baseUrl).digest('hex').slice(0, 8)
  return join(dataDir(system), 'events', `${profile.replace(/[^\w.-]/g, '_')}-${place}.ndjson`)
}

interface ListenTarget {
  readonly profile: string
  readonly baseUrl: string
}

/**
 * Returns the saved secret that signs the events of a profile, also while another process listens. Without one it saves a
 * new one, which `events listen` uses later.
 */
export function listenSecret(system: System, target: ListenTarget & { readonly platformNow: number }): string {
  const saved = readState(stateFile(system, target))
  if (saved) return saved.header.secret
  const state = openListenState(system, target)
  state.saveSecret()
  state.close()
  return state.secret
}

/**
 * Opens the state file of a profile. `platformNow` is the time of the platform in milliseconds since 1970, from which its
 * events count at the first time. @throws ClientFailure `conflict` if another process listens with it
 */
export function openListenState(
  system: System,
  { profile, baseUrl, platformNow }: ListenTarget & { readonly platformNow: number },
): ListenState {
  const file = stateFile(system, { profile, baseUrl })
  const { release } = lockWork(
    `${file}.lock`,
    system,
    (it) => `${it} already listens to the events of "${profile}". Each event is delivered once.`,
    'listening',
  )
  const saved = readState(file)
  let isResumed = saved !== undefined && saved.header.is_started !== false
  const header: Header = {
    base_url: baseUrl,
    started_at: isResumed && saved ? saved.header.started_at : platformNow,
    secret: saved?.header.secret ?? `whsec_${crypto().randomBytes(32).toString('base64')}`,
  }
  const events = saved?.events ?? new Map<string, number>()
  let lastAt = Math.max(header.started_at, ...events.values())
  for (const [key, at] of events) if (at < lastAt - retentionMs) events.delete(key)
  const save = (): void =>
    replaceFile(
      file,
      [{ ...header, ...(!isResumed && { is_started: false }) }, ...[...events].map(([key, at]) => ({ key, at }))]
        .map((it) => `${stringifyJson(it)}\n`)
        .join(''),
    )
  // Also ends a line that a killed process left unfinished.
  if (saved) save()
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
    saveSecret: save,
    start(keys) {
      for (const key of keys) events.set(key, header.started_at)
      isResumed = true
      save()
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
  restrictToOwner(file)
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
