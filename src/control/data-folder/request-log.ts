import { appendFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoggedRequest } from '../../contract/control/requests.ts'
import type { PlainRequest, PlainResponse } from '../../contract/mechanics/http-message.ts'

/** The log of what a server was asked: two files of lines, the older one put aside when the newer one is full. Its owner alone can read them. */
const logFiles = (dataDir: string): readonly [older: string, newer: string] => [
  join(dataDir, 'requests.1.ndjson'),
  join(dataDir, 'requests.ndjson'),
]

/** Bytes of a file, after which it is put aside. */
const maxFileBytes = 4 * 1024 * 1024
/** Milliseconds of wall time a line is kept. */
const retentionMs = 30 * 24 * 3600 * 1000
/** Milliseconds between an answer and its line, and how many lines are written then. What comes faster than that is counted only. */
const flushDelayMs = 250
const maxPending = 250
/** Characters of a body that are kept. */
const maxBodyLength = 4000

export interface RequestLog {
  /** Whether there is room for one more just now; one that is not taken is counted only. */
  hasRoom(): boolean
  /** Keeps a request and its answer. Costs nothing but memory until its line is written. */
  record(request: PlainRequest, answer: PlainResponse, ms: number): void
  /** Writes what is left. */
  close(): void
}

export interface RequestLogOptions {
  readonly dataDir: string
  /** Wall time in milliseconds. */
  readonly wall: () => number
  readonly redact: {
    readonly headers: (headers: Readonly<Record<string, string>>) => Record<string, string>
    readonly body: (text: string) => string
    readonly text: (text: string) => string
  }
  readonly log: (text: string) => void
}

export function openRequestLog({ dataDir, wall, redact, log }: RequestLogOptions): RequestLog {
  const [older, newer] = logFiles(dataDir)
  const pending: {
    readonly at: number
    readonly request: PlainRequest
    readonly answer: PlainResponse
    readonly ms: number
  }[] = []
  const known = readRequests(dataDir)
  let next = (known.at(-1)?.id ?? 0) + 1
  if (known[0] && Date.parse(known[0].at) < wall() - retentionMs) purgeRequests(dataDir, wall() - retentionMs)
  let timer: NodeJS.Timeout | undefined

  function toLine({ at, request, answer, ms }: (typeof pending)[number]): LoggedRequest {
    const { body } = request
    const short = (text: string): string =>
      text.length > maxBodyLength ? `${redact.text(text.slice(0, maxBodyLength))}…` : redact.body(text)
    return {
      id: next++,
      at: new Date(at).toISOString(),
      method: request.method,
      path: redact.text(request.url),
      status: answer.status,
      ms: Math.round(ms * 10) / 10,
      headers: redact.headers(request.headers),
      body: body === undefined ? null : short(body),
      answer: short(answer.body),
    }
  }

  function write(): void {
    timer = undefined
    const lines = pending.splice(0).map((it) => `${JSON.stringify(toLine(it))}\n`)
    if (lines.length === 0) return
    try {
      if (sizeOf(newer) > maxFileBytes) renameSync(newer, older)
      if (ageOf(older, wall()) > retentionMs) rmSync(older, { force: true })
      appendFileSync(newer, lines.join(''), { mode: 0o600 })
    } catch (error) {
      log(`Could not write the request log: ${(error as Error).message}`)
    }
  }

  return {
    hasRoom() {
      if (pending.length < maxPending) return true
      next++
      return false
    },
    record(request, answer, ms) {
      pending.push({ at: wall(), request, answer, ms })
      timer ??= setTimeout(write, flushDelayMs)
    },
    close() {
      clearTimeout(timer)
      write()
    },
  }
}

/** Everything that is kept, oldest first. */
export function readRequests(dataDir: string): LoggedRequest[] {
  return logFiles(dataDir).flatMap((file) => linesOf(file).flatMap((line) => parsed(line) ?? []))
}

/** Forgets requests that were answered before a moment of wall time; answers how many. */
export function purgeRequests(dataDir: string, before: number): number {
  const [older, newer] = logFiles(dataDir)
  const all = readRequests(dataDir)
  const left = all.filter((it) => Date.parse(it.at) >= before)
  if (left.length === all.length) return 0
  rmSync(older, { force: true })
  writeFileSync(newer, left.map((it) => `${JSON.stringify(it)}\n`).join(''), { mode: 0o600 })
  return all.length - left.length
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}

/** A line that a crash tore off is nothing. */
function parsed(line: string): LoggedRequest | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as LoggedRequest)
  } catch {
    return undefined
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

function ageOf(file: string, now: number): number {
  try {
    return now - statSync(file).mtimeMs
  } catch {
    return 0
  }
}
