// The request log of a server: two files of lines in the data folder, written after the response and read from the end. Secrets
// are removed before an entry is written.

import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LoggedRequest } from '../../../contract/control/requests.ts'
import type { PlainRequest, PlainResponse } from '../../../contract/endpoint/http-message.ts'
import { redactBeginning, redactBody, redactHeaders, redactText } from '../../../contract/values/redact.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { appendLines, parseJsonLine, readLines } from '../../../node/ndjson.ts'
import { readPiecesBackwards } from '../../../node/read-backwards.ts'
import { realTime } from '../../../node/real-time.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import type { RequestHandler } from '../../server/app.ts'

/**
 * Returns the files of the request log. When the newer one is full, it replaces the older one. Only the owner can read
 * them.
 */
const logFiles = (dataDir: string): readonly [older: string, newer: string] => [
  join(dataDir, dataFiles.olderRequests),
  join(dataDir, dataFiles.requests),
]

/** Size in bytes after which a file is rotated. */
const maxFileBytes = 4 * 1024 * 1024
/** Milliseconds of wall time for which entries are retained. */
const retentionMs = 30 * 24 * 3600 * 1000
/**
 * Milliseconds between a response and its log entry, and maximum entries written at once. Requests beyond that are
 * counted but not logged.
 */
const flushDelayMs = 250
const maxPending = 250
/** Maximum characters of a logged body. */
const maxBodyLength = 4000

/** The log of the requests to a server. */
export interface RequestLog {
  /** Returns whether another entry fits. Otherwise the request is only counted. */
  hasRoom(): boolean
  /** Records a request and its response. The entry is written later. */
  record(request: PlainRequest, answer: PlainResponse, ms: number): void
  /** Writes the entries that wait. */
  flush(): void
  /** Calls back with entries after they are written. */
  onWritten(listener: (lines: readonly LoggedRequest[]) => void): void
  /** Writes the remaining entries. */
  close(): void
}

/** Options of the request log. */
interface RequestLogOptions {
  readonly dataDir: string
  /** Returns the wall time in milliseconds. */
  readonly wall: () => number
  /** Returns the time of the platform in microseconds. */
  readonly platformTime: () => Promise<number> | number
  readonly log: (text: string) => void
}

/** Maximum number of texts whose redaction is remembered. Programs often repeat a request. */
const maxRedacted = 100

/** Remembers the results of a function of texts. */
function remembered(redact: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= maxRedacted) known.clear()
    const redacted = redact(text)
    known.set(text, redacted)
    return redacted
  }
}

/** Opens the request log of a data folder. */
export function openRequestLog({ dataDir, wall, platformTime, log }: RequestLogOptions): RequestLog {
  const bodyWithoutSecrets = remembered((text) => redactBody(text))
  const beginningWithoutSecrets = remembered(redactBeginning)
  const pathWithoutSecrets = remembered((text) => redactText(text))
  const headersWithoutSecrets = remembered((text) => stringifyJson(redactHeaders(parseJson(text))))
  const [older, newer] = logFiles(dataDir)
  const pending: {
    readonly at: number
    /** Milliseconds; undefined until it is read. */
    platformAt?: number
    readonly request: PlainRequest
    readonly answer: PlainResponse
    readonly ms: number
  }[] = []
  let next = (firstEntry(requestLines(dataDir))?.id ?? 0) + 1
  const oldest = firstEntry(linesOf(older)) ?? firstEntry(linesOf(newer))
  if (oldest && Date.parse(oldest.at) < wall() - retentionMs) purgeRequests(dataDir, wall() - retentionMs)
  let timer: NodeJS.Timeout | undefined
  /** Milliseconds by which the time of the platform differed from the wall time at the last request. */
  let offset = 0
  let listener: ((lines: readonly LoggedRequest[]) => void) | undefined

  /**
   * Returns the entry of a request. inspector-handlers.ts searches lines as text, so the order of fields stays: the times first,
   * `failed_run` directly before `status`, and `account` last.
   */
  function toLine({ at, platformAt, request, answer, ms }: (typeof pending)[number]): LoggedRequest {
    const { body } = request
    const short = (text: string): string =>
      text.length > maxBodyLength ? beginningWithoutSecrets(text.slice(0, maxBodyLength)) : bodyWithoutSecrets(text)
    return {
      id: next++,
      at: new Date(at).toISOString(),
      platform_at: new Date(platformAt ?? at + offset).toISOString(),
      method: request.method,
      path: pathWithoutSecrets(request.url),
      ...(request.context?.failedRun !== undefined && { failed_run: request.context.failedRun }),
      status: answer.status,
      ms: Math.round(ms * 10) / 10,
      headers: parseJson(headersWithoutSecrets(stringifyJson(request.headers))),
      body: body === undefined ? null : short(body),
      answer: short(answer.body),
      account: request.context?.account ?? request.inspector?.account ?? null,
    }
  }

  function write(): void {
    timer = undefined
    const lines = pending.splice(0).map(toLine)
    if (lines.length === 0) return
    try {
      if (ageOf(older, wall()) > retentionMs) rmSync(older, { force: true })
      appendLines(newer, lines, { rotation: { maxBytes: maxFileBytes, olderFile: older } })
    } catch (error) {
      log(`Could not write the request log: ${(error as Error).message}`)
    }
    listener?.(lines)
  }

  return {
    hasRoom() {
      if (pending.length < maxPending) return true
      next++
      return false
    },
    record(request, answer, ms) {
      const entry: (typeof pending)[number] = { at: wall(), request, answer, ms }
      const setTime = (micros: number): void => {
        entry.platformAt = Math.floor(micros / 1000)
        offset = entry.platformAt - entry.at
      }
      const time = platformTime()
      if (typeof time === 'number') setTime(time)
      else time.then(setTime, () => {})
      pending.push(entry)
      timer ??= realTime.setTimeout(write, flushDelayMs)
    },
    flush() {
      realTime.clearTimeout(timer)
      write()
    },
    onWritten(given) {
      listener = given
    },
    close() {
      realTime.clearTimeout(timer)
      write()
    },
  }
}

/** Returns all entries, oldest first. */
export function readRequests(dataDir: string): LoggedRequest[] {
  return logFiles(dataDir).flatMap((file) =>
    [...linesOf(file)].flatMap((line) => (parseJsonLine(line) as LoggedRequest | undefined) ?? []),
  )
}

/** Returns the log in pieces of whole lines, newest first, each byte as one character. */
export function* requestLogPieces(dataDir: string): Generator<string> {
  for (const file of [...logFiles(dataDir)].reverse()) yield* readPiecesBackwards(file)
}

/** Returns the lines of the log, newest first. */
export function* requestLines(dataDir: string): Generator<string> {
  for (const piece of requestLogPieces(dataDir)) for (const line of linesBackwards(piece)) yield decodeLine(line)
}

/** Returns the text of a line whose bytes are one character each. */
export const decodeLine = (line: string): string => Buffer.from(line, 'latin1').toString('utf8')

/** Returns the lines of a text, last first. */
export function* linesBackwards(text: string): Generator<string> {
  for (let end = text.length; end > 0; ) {
    const start = text.lastIndexOf('\n', end - 1)
    if (end - start > 1) yield text.slice(start + 1, end)
    end = start
  }
}

/** Deletes entries of requests before a wall time in milliseconds. Returns how many. */
export function purgeRequests(dataDir: string, before: number): number {
  const [older, newer] = logFiles(dataDir)
  const all = readRequests(dataDir)
  const left = all.filter((it) => Date.parse(it.at) >= before)
  if (left.length === all.length) return 0
  rmSync(older, { force: true })
  replaceFile(newer, left.map((it) => `${stringifyJson(it)}\n`).join(''))
  return all.length - left.length
}

function* linesOf(file: string): Generator<string> {
  try {
    yield* readLines(file)
  } catch {
    // A log that cannot be read is an empty one.
  }
}

/** Returns the first line that is an entry. */
function firstEntry(lines: Iterable<string>): LoggedRequest | undefined {
  for (const line of lines) {
    const request = parseJsonLine(line) as LoggedRequest | undefined
    if (request) return request
  }
  return undefined
}

function ageOf(file: string, now: number): number {
  try {
    return now - statSync(file).mtimeMs
  } catch {
    return 0
  }
}

/** Logs requests to the platform's API, and to webhooks (`webhookPathPrefix` of server/http/read-input.ts). Probes, control requests and what the inspector reads are not logged. */
export function withRequestLog(handle: RequestHandler, requestLog: RequestLog): RequestHandler {
  return (request) => {
    if (!(request.url.startsWith('/api/') || request.url.startsWith('/automate/')) || !requestLog.hasRoom())
      return handle(request)
    if (request.inspector && request.method === 'GET') return handle(request)
    // The account is stored here when the key was checked. A server without a monitor has no context yet.
    request.context ??= {
      endpoint: undefined,
      account: undefined,
      traceId: undefined,
      startedAt: realTime.monotonicMs(),
    }
    const began = request.context.startedAt
    return handle(request).then((answer) => {
      requestLog.record(request, answer, realTime.monotonicMs() - began)
      return answer
    })
  }
}
