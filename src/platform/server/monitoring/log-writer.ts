import type { LogFields } from '../../../contract/endpoint/http-message.ts'
import { stringifyJson } from '../../../node/json.ts'
import { yieldToEventLoop } from '../../../node/real-time.ts'
import { currentTrace, traceIdOf } from '../../../node/trace.ts'

/**
 * Formats of the server's log: a JSON object a line, text for people, or no log. Operators have these words in flags and
 * configurations.
 */
const logFormats = ['json', 'pretty', 'none'] as const
export type LogFormat = (typeof logFormats)[number]

/**
 * The line of a request that was answered. Log collectors of operators read the names of its fields, and those of
 * `LogFields`: they never change. Secrets are removed from `path` only, so no other field may contain one.
 */
export interface RequestLine extends LogFields {
  readonly method: string
  readonly path: string
  readonly endpoint: string
  readonly status: number
  readonly ms: number
  /** Id of the account; undefined if the request was not authenticated. */
  readonly account: number | undefined
}

/** Writes the log of a server. */
export interface LogWriter {
  /** Logs an event of the server, such as its start. */
  event(message: string): void
  /** Logs a problem that no response reports. Secrets are removed from `text`, not from `fields`. Lines after the first are details, such as a stack. */
  problem(text: string, fields?: LogFields): void
  request(line: RequestLine): void
  /** Waits until everything is written. */
  flush(): Promise<void>
}

/** Options of a log. */
interface LogWriterOptions {
  readonly format: LogFormat
  readonly write: (text: string) => Promise<void>
  /** Returns the wall time in milliseconds. */
  readonly now: () => number
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string
}

/** Characters that wait for a slow reader of the log. Lines beyond are counted and dropped. */
const maxPendingLength = 8 * 1024 * 1024

/** Creates the log of a server. Lines are written together, so that a busy server makes few system calls. */
export function createLogWriter({ format, write, now, redact }: LogWriterOptions): LogWriter {
  let pending: string[] = []
  let pendingLength = 0
  let dropped = 0
  let writing: Promise<void> | undefined

  function add(line: string): void {
    if (pendingLength > maxPendingLength) {
      dropped++
      return
    }
    pending.push(line)
    pendingLength += line.length
    writing ??= yieldToEventLoop().then(drain)
  }

  async function drain(): Promise<void> {
    while (pending.length > 0) {
      const lines = pending
      pending = []
      pendingLength = 0
      await write(lines.join('')).catch(() => {})
      if (dropped === 0) continue
      const count = dropped
      dropped = 0
      addLine('warn', `The log could not be written fast enough. Lines that are missing: ${count}.`, {})
    }
    writing = undefined
  }

  function addLine(level: 'info' | 'warn' | 'error', message: string, fields: object): void {
    const time = new Date(now()).toISOString()
    if (format === 'json') add(`${stringifyJson({ time, level, message, ...fields })}\n`)
    else add(`${time} ${level.padEnd(5)} ${message}${prettyFields(fields)}\n`)
  }

  if (format === 'none')
    return { event: () => {}, problem: () => {}, request: () => {}, flush: () => Promise.resolve() }
  return {
    event: (message) => addLine('info', message, {}),
    problem(text, fields = {}) {
      const [message = '', ...rest] = redact(text).split('\n')
      const trace = currentTrace()
      const traced = trace !== undefined && fields.trace_id === undefined && { trace_id: traceIdOf(trace) }
      addLine('error', message, { ...fields, ...traced, ...(rest.length > 0 && { details: rest.join('\n') }) })
    },
    request({ method, path, status, ms, ...fields }) {
      const shown = redact(path)
      const rounded = Math.round(ms * 10) / 10
      const level = status >= 500 ? 'error' : 'info'
      if (format === 'json') addLine(level, 'request', { method, path: shown, status, ms: rounded, ...fields })
      else addLine(level, `${method} ${shown} ${status} ${rounded} ms`, fields)
    },
    async flush() {
      while (writing) await writing
    },
  }
}

function prettyFields(fields: object): string {
  const { details, ...short } = fields as { readonly details?: string }
  const shown = Object.entries(short).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  return `${shown.length > 0 ? ` (${shown.join(', ')})` : ''}${details === undefined ? '' : `\n${details}`}`
}
