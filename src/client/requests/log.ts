import type { PlainRequest, PlainResponse } from '../../contract/endpoint/http-message.ts'
import { maskPhoneNumbers } from '../../contract/values/mask-phone-numbers.ts'
import { redactBody, redactHeaders, redactText } from '../../contract/values/redact.ts'
import type { TransportError } from '../transport/transport.ts'

/** One attempt of a request. */
export interface Exchange {
  readonly base: string
  readonly request: PlainRequest
  readonly response?: PlainResponse
  readonly error?: TransportError
  readonly ms: number
  /** Counted from 1. */
  readonly attempt: number
  /** Secrets to hide wherever they occur. */
  readonly secrets: readonly string[]
}

/** Receives what the client does. */
export interface Log {
  /** Whether notes are wanted, because creating one may be expensive. */
  readonly debug: boolean
  exchange(exchange: Exchange): void
  note(text: string): void
}

/**
 * Creates a log of lines with secrets hidden: `verbose` has one line per request, `debug` everything. `write` receives
 * each line without newline.
 */
export function createLog(level: 'verbose' | 'debug', write: (line: string) => void): Log {
  const debug = level === 'debug'
  const out = (text: string): void => {
    for (const line of stripControlCharacters(maskPhoneNumbers(text)).split('\n')) write(line)
  }
  return {
    debug,
    exchange(exchange) {
      if (debug) out(formatExchange(exchange))
      out(formatSummary(exchange))
    },
    note(text) {
      if (debug) out(`note: ${redactText(text)}`)
    },
  }
}

function formatSummary({ request, response, error, ms, attempt, secrets }: Exchange): string {
  const end = response ? response.status : (error?.reason ?? 'failed')
  return `${request.method} ${redactText(request.url, secrets)} ${end} ${Math.round(ms)} ms${attempt > 1 ? ` (attempt ${attempt})` : ''}`
}

function formatExchange({ base, request, response, error, secrets }: Exchange): string {
  const lines = [
    `> ${request.method} ${base}${redactText(request.url, secrets)}`,
    ...headerLines('>', request.headers, secrets),
  ]
  if (request.body !== undefined) lines.push(`> ${redactBody(request.body, secrets)}`)
  if (response) {
    lines.push(`< ${response.status}`, ...headerLines('<', response.headers, secrets))
    if (response.body !== '') lines.push(`< ${redactBody(response.body, secrets)}`)
  }
  if (error)
    lines.push(
      `! ${error.reason}: ${redactText(error.message, secrets)} (${error.sent ? 'the request may have arrived' : 'nothing was sent'})`,
    )
  return lines.join('\n')
}

const headerLines = (mark: string, headers: Readonly<Record<string, string>>, secrets: readonly string[]): string[] =>
  Object.entries(redactHeaders(headers, secrets)).map(([name, value]) => `${mark} ${name}: ${value}`)

/** Removes control characters, so that a server cannot control the terminal. */
const stripControlCharacters = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones
  text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
